import * as kit from "#modules/payments/connectors/kit/index.ts";

export const STRIPE_FIELDS = [
  /** A secret key, or a restricted one with the permissions that the README names. */
  { ...kit.REQUIRED_TEXT, name: "apiKey", label: "APIKey", isSecret: true },
] as const satisfies readonly kit.ConfigField[];

export type StripeConfig = kit.ConfigOf<typeof STRIPE_FIELDS>;
