import type { ConfigField, PluginConfig } from "#modules/payments/connectors/config.ts";

const text = { type: "string", isRequired: true } as const;

export const TINK_FIELDS: readonly ConfigField[] = [
  { ...text, name: "clientID", label: "ClientID" },
  { ...text, name: "clientSecret", label: "ClientSecret", isSecret: true },
  { ...text, name: "endpoint", label: "Endpoint" },
];

export interface TinkConfig {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly endpoint: string;
}

export const readTinkConfig = (values: PluginConfig): TinkConfig => ({
  clientId: String(values["clientID"]),
  clientSecret: String(values["clientSecret"]),
  endpoint: String(values["endpoint"]),
});
