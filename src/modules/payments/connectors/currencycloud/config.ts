import * as kit from "#modules/payments/connectors/kit/index.ts";

export const CURRENCYCLOUD_FIELDS = [
  { ...kit.REQUIRED_TEXT, name: "loginID", label: "LoginID" },
  { ...kit.REQUIRED_TEXT, name: "apiKey", label: "APIKey", isSecret: true },
  { ...kit.REQUIRED_TEXT, name: "endpoint", label: "Endpoint" },
] as const satisfies readonly kit.ConfigField[];

export type CurrencycloudConfig = kit.ConfigOf<typeof CURRENCYCLOUD_FIELDS>;
