import type { ConfigField, PluginConfig } from "#modules/payments/connectors/config.ts";

export const STRIPE_FIELDS: readonly ConfigField[] = [
  { name: "apiKey", label: "APIKey", type: "string", isRequired: true, isSecret: true },
];

export interface StripeConfig {
  /** A secret key, or a restricted one with the permissions that the README names. */
  readonly apiKey: string;
}

export const readStripeConfig = (values: PluginConfig): StripeConfig => ({
  apiKey: String(values["apiKey"]),
});
