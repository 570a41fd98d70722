import * as kit from "#modules/payments/connectors/kit/index.ts";

export const TINK_FIELDS = [
  { ...kit.REQUIRED_TEXT, name: "clientID", label: "ClientID" },
  { ...kit.REQUIRED_TEXT, name: "clientSecret", label: "ClientSecret", isSecret: true },
  { ...kit.REQUIRED_TEXT, name: "endpoint", label: "Endpoint" },
] as const satisfies readonly kit.ConfigField[];

export type TinkConfig = kit.ConfigOf<typeof TINK_FIELDS>;
