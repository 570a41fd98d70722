/** The names that providers have for people, by the kinds of connectors. */
const NAMES: Readonly<Record<string, string>> = {
  adyen: "Adyen",
  atlar: "Atlar",
  bankingcircle: "Banking Circle",
  coinbaseprime: "Coinbase Prime",
  column: "Column",
  currencycloud: "Currencycloud",
  dummypay: "Dummypay",
  generic: "Generic",
  increase: "Increase",
  mangopay: "Mangopay",
  modulr: "Modulr",
  moneycorp: "Moneycorp",
  plaid: "Plaid",
  powens: "Powens",
  qonto: "Qonto",
  stripe: "Stripe",
  tink: "Tink",
  wise: "Wise",
};

export const providerName = (kind: string): string => NAMES[kind.toLowerCase()] ?? kind;
