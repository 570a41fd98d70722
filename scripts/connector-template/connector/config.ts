import type { ConfigField, PluginConfig } from "#modules/payments/connectors/config.ts";

export const EXAMPLE_FIELDS: readonly ConfigField[] = [
  { name: "apiKey", label: "APIKey", type: "string", isRequired: true, isSecret: true },
  { name: "endpoint", label: "Endpoint", type: "string", isRequired: true },
];

export interface ExampleConfig {
  readonly apiKey: string;
  readonly endpoint: string;
}

export const readExampleConfig = (values: PluginConfig): ExampleConfig => ({
  apiKey: String(values["apiKey"]),
  endpoint: String(values["endpoint"]),
});
