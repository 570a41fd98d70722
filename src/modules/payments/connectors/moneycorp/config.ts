import type { ConfigField, PluginConfig } from "#modules/payments/connectors/config.ts";

const text = { type: "string", isRequired: true } as const;

export const MONEYCORP_FIELDS: readonly ConfigField[] = [
  { ...text, name: "clientID", label: "ClientID" },
  { ...text, name: "apiKey", label: "APIKey", isSecret: true },
  { ...text, name: "endpoint", label: "Endpoint" },
];

export interface MoneycorpConfig {
  readonly clientId: string;
  readonly apiKey: string;
  readonly endpoint: string;
}

export const readMoneycorpConfig = (values: PluginConfig): MoneycorpConfig => ({
  clientId: String(values["clientID"]),
  apiKey: String(values["apiKey"]),
  endpoint: String(values["endpoint"]),
});
