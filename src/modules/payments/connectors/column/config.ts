import type { ConfigField, PluginConfig } from "#modules/payments/connectors/config.ts";

const text = { type: "string", isRequired: true } as const;

export const COLUMN_FIELDS: readonly ConfigField[] = [
  { ...text, name: "apiKey", label: "APIKey", isSecret: true },
  {
    ...text,
    name: "endpoint",
    label: "Endpoint",
    rule: { name: "url", holds: (value) => URL.canParse(value) },
  },
];

export interface ColumnConfig {
  readonly apiKey: string;
  readonly endpoint: string;
}

export const readColumnConfig = (values: PluginConfig): ColumnConfig => ({
  apiKey: String(values["apiKey"]),
  endpoint: String(values["endpoint"]),
});
