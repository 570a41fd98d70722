import * as kit from "#modules/payments/connectors/kit/index.ts";

export const MONEYCORP_FIELDS = [
  { ...kit.REQUIRED_TEXT, name: "clientID", label: "ClientID" },
  { ...kit.REQUIRED_TEXT, name: "apiKey", label: "APIKey", isSecret: true },
  { ...kit.REQUIRED_TEXT, name: "endpoint", label: "Endpoint" },
] as const satisfies readonly kit.ConfigField[];

export type MoneycorpConfig = kit.ConfigOf<typeof MONEYCORP_FIELDS>;
