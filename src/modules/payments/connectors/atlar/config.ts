import type { ConfigField, PluginConfig } from "#modules/payments/connectors/config.ts";

const text = { type: "string", isRequired: true } as const;

export const ATLAR_FIELDS: readonly ConfigField[] = [
  {
    ...text,
    name: "baseUrl",
    label: "BaseURL",
    rule: { name: "url", holds: (value) => URL.canParse(value) },
  },
  { ...text, name: "accessKey", label: "AccessKey", isSecret: true },
  { ...text, name: "secret", label: "Secret", isSecret: true },
];

export interface AtlarConfig {
  readonly baseUrl: string;
  readonly accessKey: string;
  readonly secret: string;
}

export const readAtlarConfig = (values: PluginConfig): AtlarConfig => ({
  baseUrl: String(values["baseUrl"]),
  accessKey: String(values["accessKey"]),
  secret: String(values["secret"]),
});
