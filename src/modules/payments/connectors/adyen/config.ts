import * as kit from "#modules/payments/connectors/kit/index.ts";

const text = { type: "string", isRequired: false } as const;

export const ADYEN_FIELDS = [
  { ...kit.REQUIRED_TEXT, name: "apiKey", label: "APIKey", isSecret: true },
  { ...kit.REQUIRED_TEXT, name: "companyID", label: "CompanyID" },
  /** The client calls the live platform if this prefix is given, and the test platform otherwise. */
  {
    ...text,
    name: "liveEndpointPrefix",
    label: "LiveEndpointPrefix",
    rule: { name: "url_encoded", holds: (value) => /^(?:[^%]|%[0-9A-Fa-f]{2})*$/.test(value) },
  },
  /** Deliveries have no basic authentication if the user and the password are empty. */
  {
    ...text,
    name: "webhookUsername",
    label: "WebhookUsername",
    // A colon ends the name of a user in basic authentication.
    rule: { name: "excludes", holds: (value) => !value.includes(":") },
  },
  { ...text, name: "webhookPassword", label: "WebhookPassword", isSecret: true },
] as const satisfies readonly kit.ConfigField[];

export type AdyenConfig = kit.ConfigOf<typeof ADYEN_FIELDS>;
