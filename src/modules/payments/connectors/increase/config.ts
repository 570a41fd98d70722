import type { ConfigField, PluginConfig } from "#modules/payments/connectors/config.ts";

const text = { type: "string", isRequired: true } as const;

export const INCREASE_FIELDS: readonly ConfigField[] = [
  { ...text, name: "apiKey", label: "APIKey", isSecret: true },
  { ...text, name: "endpoint", label: "Endpoint" },
  { ...text, name: "webhookSharedSecret", label: "WebhookSharedSecret", isSecret: true },
];

export interface IncreaseConfig {
  readonly apiKey: string;
  readonly endpoint: string;
  /** The provider signs deliveries with it. */
  readonly webhookSharedSecret: string;
}

export const readIncreaseConfig = (values: PluginConfig): IncreaseConfig => ({
  apiKey: String(values["apiKey"]),
  endpoint: String(values["endpoint"]),
  webhookSharedSecret: String(values["webhookSharedSecret"]),
});
