import * as kit from "#modules/payments/connectors/kit/index.ts";

export const PLAID_FIELDS = [
  { ...kit.REQUIRED_TEXT, name: "clientID", label: "ClientID" },
  { ...kit.REQUIRED_TEXT, name: "clientSecret", label: "ClientSecret", isSecret: true },
  { name: "isSandbox", label: "IsSandbox", type: "boolean", isRequired: false },
] as const satisfies readonly kit.ConfigField[];

export type PlaidConfig = kit.ConfigOf<typeof PLAID_FIELDS>;
