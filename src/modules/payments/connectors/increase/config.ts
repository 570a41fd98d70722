import * as kit from "#modules/payments/connectors/kit/index.ts";

export const INCREASE_FIELDS = [
  { ...kit.REQUIRED_TEXT, name: "apiKey", label: "APIKey", isSecret: true },
  { ...kit.REQUIRED_TEXT, name: "endpoint", label: "Endpoint" },
  /** The provider signs deliveries with this secret. */
  {
    ...kit.REQUIRED_TEXT,
    name: "webhookSharedSecret",
    label: "WebhookSharedSecret",
    isSecret: true,
  },
] as const satisfies readonly kit.ConfigField[];

export type IncreaseConfig = kit.ConfigOf<typeof INCREASE_FIELDS>;
