import type { ConfigField, PluginConfig } from "#modules/payments/connectors/config.ts";

const text = { type: "string", isRequired: true } as const;

export const MODULR_FIELDS: readonly ConfigField[] = [
  { ...text, name: "apiKey", label: "APIKey", isSecret: true },
  { ...text, name: "apiSecret", label: "APISecret", isSecret: true },
  { ...text, name: "endpoint", label: "Endpoint" },
];

export interface ModulrConfig {
  readonly apiKey: string;
  readonly apiSecret: string;
  readonly endpoint: string;
}

export const readModulrConfig = (values: PluginConfig): ModulrConfig => ({
  apiKey: String(values["apiKey"]),
  apiSecret: String(values["apiSecret"]),
  endpoint: String(values["endpoint"]),
});
