import type { ConfigField, PluginConfig } from "#modules/payments/connectors/config.ts";

const text = { type: "string", isRequired: false } as const;

export const ADYEN_FIELDS: readonly ConfigField[] = [
  { ...text, name: "apiKey", label: "APIKey", isRequired: true, isSecret: true },
  { ...text, name: "companyID", label: "CompanyID", isRequired: true },
  {
    ...text,
    name: "liveEndpointPrefix",
    label: "LiveEndpointPrefix",
    rule: { name: "url_encoded", holds: (value) => /^(?:[^%]|%[0-9A-Fa-f]{2})*$/.test(value) },
  },
  {
    ...text,
    name: "webhookUsername",
    label: "WebhookUsername",
    // Basic authentication ends the name of a user there.
    rule: { name: "excludes", holds: (value) => !value.includes(":") },
  },
  { ...text, name: "webhookPassword", label: "WebhookPassword", isSecret: true },
];

export interface AdyenConfig {
  readonly apiKey: string;
  readonly companyId: string;
  readonly isLive: boolean;
  /** Both are empty where deliveries have no basic authentication. */
  readonly webhookUsername: string;
  readonly webhookPassword: string;
}

export const readAdyenConfig = (values: PluginConfig): AdyenConfig => ({
  apiKey: String(values["apiKey"]),
  companyId: String(values["companyID"]),
  isLive: values["liveEndpointPrefix"] !== "",
  webhookUsername: String(values["webhookUsername"]),
  webhookPassword: String(values["webhookPassword"]),
});
