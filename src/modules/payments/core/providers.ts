/** How clients of earlier versions spell the kinds of connectors that have hyphens there. */
const HYPHENATED: ReadonlyMap<string, string> = new Map([
  ["bankingcircle", "BANKING-CIRCLE"],
  ["currencycloud", "CURRENCY-CLOUD"],
  ["dummypay", "DUMMY-PAY"],
]);

/** The provider of an object as clients of earlier versions know it: in upper case. */
export const toLegacyProvider = (provider: string): string =>
  HYPHENATED.get(provider) ?? provider.toUpperCase();
