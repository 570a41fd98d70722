import * as kit from "#modules/payments/connectors/kit/index.ts";

export const COINBASE_PRIME_FIELDS = [
  { ...kit.REQUIRED_TEXT, name: "apiKey", label: "APIKey", isSecret: true },
  /** The key that signs requests, as the text that it is. */
  { ...kit.REQUIRED_TEXT, name: "apiSecret", label: "APISecret", isSecret: true },
  { ...kit.REQUIRED_TEXT, name: "passphrase", label: "Passphrase", isSecret: true },
  { ...kit.REQUIRED_TEXT, name: "portfolioId", label: "PortfolioID" },
] as const satisfies readonly kit.ConfigField[];

export type CoinbasePrimeConfig = kit.ConfigOf<typeof COINBASE_PRIME_FIELDS>;
