import * as kit from "#modules/payments/connectors/kit/index.ts";

export const EXAMPLE_FIELDS = [
  { ...kit.REQUIRED_TEXT, name: "apiKey", label: "APIKey", isSecret: true },
  { ...kit.REQUIRED_TEXT, name: "endpoint", label: "Endpoint" },
] as const satisfies readonly kit.ConfigField[];

export type ExampleConfig = kit.ConfigOf<typeof EXAMPLE_FIELDS>;
