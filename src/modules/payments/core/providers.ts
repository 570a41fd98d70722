/** How clients of earlier versions spell the kinds of connectors that have hyphens there. */
const HYPHENATED: ReadonlyMap<string, string> = new Map([
  ["bankingcircle", "BANKING-CIRCLE"],
  ["currencycloud", "CURRENCY-CLOUD"],
  ["dummypay", "DUMMY-PAY"],
]);
const UNHYPHENATED: ReadonlyMap<string, string> = new Map(
  [...HYPHENATED].map(([provider, legacy]) => [legacy, provider]),
);

/** The kinds that clients of earlier versions know. They refuse a list of connectors that has another one in it. */
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

/** The provider of an object as clients of earlier versions know it: in upper case. */
export const toLegacyProvider = (provider: string): string =>
  HYPHENATED.get(provider) ?? provider.toUpperCase();

export const isLegacyProvider = (provider: string): boolean => LEGACY.has(provider);

/** The kind that a request names in either spelling and in letters of any size: `dummypay`. */
export const toProvider = (text: string): string =>
  UNHYPHENATED.get(text.toUpperCase()) ?? text.toLowerCase();

/** The kind as configurations name it: `Dummypay`. Clients tell configurations apart by it. */
export const toConfigProvider = (provider: string): string =>
  `${provider.slice(0, 1).toUpperCase()}${provider.slice(1)}`;
