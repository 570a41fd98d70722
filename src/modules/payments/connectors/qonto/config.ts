import type { ConfigField, PluginConfig } from "#modules/payments/connectors/config.ts";

const text = { type: "string", isRequired: true } as const;

export const QONTO_FIELDS: readonly ConfigField[] = [
  { ...text, name: "clientID", label: "ClientID" },
  { ...text, name: "apiKey", label: "APIKey", isSecret: true },
  {
    ...text,
    name: "endpoint",
    label: "Endpoint",
    rule: { name: "url", holds: (value) => URL.canParse(value) },
  },
  { ...text, name: "stagingToken", label: "StagingToken", isRequired: false, isSecret: true },
];

export interface QontoConfig {
  readonly clientId: string;
  readonly apiKey: string;
  readonly endpoint: string;
  /** Empty outside of the provider's sandbox. */
  readonly stagingToken: string;
}

export const readQontoConfig = (values: PluginConfig): QontoConfig => ({
  clientId: String(values["clientID"]),
  apiKey: String(values["apiKey"]),
  endpoint: String(values["endpoint"]),
  stagingToken: String(values["stagingToken"]),
});
