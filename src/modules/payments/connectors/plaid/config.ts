import type { ConfigField, PluginConfig } from "#modules/payments/connectors/config.ts";

const text = { type: "string", isRequired: true } as const;

export const PLAID_FIELDS: readonly ConfigField[] = [
  { ...text, name: "clientID", label: "ClientID" },
  { ...text, name: "clientSecret", label: "ClientSecret", isSecret: true },
  { name: "isSandbox", label: "IsSandbox", type: "boolean", isRequired: false },
];

export interface PlaidConfig {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly isSandbox: boolean;
}

export const readPlaidConfig = (values: PluginConfig): PlaidConfig => ({
  clientId: String(values["clientID"]),
  clientSecret: String(values["clientSecret"]),
  isSandbox: values["isSandbox"] === true,
});
