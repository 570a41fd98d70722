/** Kinds of connectors that clients of earlier versions spell with hyphens. */
const HYPHENATED: ReadonlyMap<string, string> = new Map([
  ["bankingcircle", "BANKING-CIRCLE"],
  ["currencycloud", "CURRENCY-CLOUD"],
  ["dummypay", "DUMMY-PAY"],
]);
const UNHYPHENATED: ReadonlyMap<string, string> = new Map(
  [...HYPHENATED].map(([provider, legacy]) => [legacy, provider]),
);

/** The kinds of connectors that clients of earlier versions know. Such clients refuse a list with any other kind. */
const LEGACY = new Set([
  ...HYPHENATED.keys(),
  "adyen",
  "atlar",
  "generic",
  "mangopay",
  "modulr",
  "moneycorp",
  "stripe",
  "wise",
]);

/** The kind of a connector as clients of earlier versions spell it: in upper case. */
export const toLegacyProvider = (provider: string): string =>
  HYPHENATED.get(provider) ?? provider.toUpperCase();

export const isLegacyProvider = (provider: string): boolean => LEGACY.has(provider);

/** The kind of a connector that a request names, in either spelling and in letters of any case: `dummypay`. */
export const toProvider = (text: string): string =>
  UNHYPHENATED.get(text.toUpperCase()) ?? text.toLowerCase();

/** The kind of a connector as configurations name it: `Dummypay`. By this name clients tell configurations apart. */
export const toConfigProvider = (provider: string): string =>
  `${provider.slice(0, 1).toUpperCase()}${provider.slice(1)}`;
