import * as kit from "#modules/payments/connectors/kit/index.ts";

export const QONTO_FIELDS = [
  { ...kit.REQUIRED_TEXT, name: "clientID", label: "ClientID" },
  { ...kit.REQUIRED_TEXT, name: "apiKey", label: "APIKey", isSecret: true },
  { ...kit.REQUIRED_TEXT, name: "endpoint", label: "Endpoint", rule: kit.URL_RULE },
  /** The value is empty outside of the provider's sandbox. */
  {
    ...kit.REQUIRED_TEXT,
    name: "stagingToken",
    label: "StagingToken",
    isRequired: false,
    isSecret: true,
  },
] as const satisfies readonly kit.ConfigField[];

export type QontoConfig = kit.ConfigOf<typeof QONTO_FIELDS>;
