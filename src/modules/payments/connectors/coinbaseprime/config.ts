import type { ConfigField, PluginConfig } from "#modules/payments/connectors/config.ts";

const secret = { type: "string", isRequired: true, isSecret: true } as const;

export const COINBASE_PRIME_FIELDS: readonly ConfigField[] = [
  { ...secret, name: "apiKey", label: "APIKey" },
  { ...secret, name: "apiSecret", label: "APISecret" },
  { ...secret, name: "passphrase", label: "Passphrase" },
  { type: "string", isRequired: true, name: "portfolioId", label: "PortfolioID" },
];

export interface CoinbasePrimeConfig {
  readonly apiKey: string;
  /** The signing key, which signs as the text that it is. */
  readonly apiSecret: string;
  readonly passphrase: string;
  readonly portfolioId: string;
}

export const readCoinbasePrimeConfig = (values: PluginConfig): CoinbasePrimeConfig => ({
  apiKey: String(values["apiKey"]),
  apiSecret: String(values["apiSecret"]),
  passphrase: String(values["passphrase"]),
  portfolioId: String(values["portfolioId"]),
});
