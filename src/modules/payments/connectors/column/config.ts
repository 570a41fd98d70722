import * as kit from "#modules/payments/connectors/kit/index.ts";

export const COLUMN_FIELDS = [
  { ...kit.REQUIRED_TEXT, name: "apiKey", label: "APIKey", isSecret: true },
  { ...kit.REQUIRED_TEXT, name: "endpoint", label: "Endpoint", rule: kit.URL_RULE },
] as const satisfies readonly kit.ConfigField[];

export type ColumnConfig = kit.ConfigOf<typeof COLUMN_FIELDS>;
