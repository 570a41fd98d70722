import type { ConfigField, PluginConfig } from "#modules/payments/connectors/config.ts";

const text = { type: "string", isRequired: true } as const;

export const CURRENCYCLOUD_FIELDS: readonly ConfigField[] = [
  { ...text, name: "loginID", label: "LoginID" },
  { ...text, name: "apiKey", label: "APIKey", isSecret: true },
  { ...text, name: "endpoint", label: "Endpoint" },
];

export interface CurrencycloudConfig {
  readonly loginId: string;
  readonly apiKey: string;
  readonly endpoint: string;
}

export const readCurrencycloudConfig = (values: PluginConfig): CurrencycloudConfig => ({
  loginId: String(values["loginID"]),
  apiKey: String(values["apiKey"]),
  endpoint: String(values["endpoint"]),
});
