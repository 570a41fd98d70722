import * as kit from "#modules/payments/connectors/kit/index.ts";

export const ATLAR_FIELDS = [
  { ...kit.REQUIRED_TEXT, name: "baseUrl", label: "BaseURL", rule: kit.URL_RULE },
  { ...kit.REQUIRED_TEXT, name: "accessKey", label: "AccessKey", isSecret: true },
  { ...kit.REQUIRED_TEXT, name: "secret", label: "Secret", isSecret: true },
] as const satisfies readonly kit.ConfigField[];

export type AtlarConfig = kit.ConfigOf<typeof ATLAR_FIELDS>;
