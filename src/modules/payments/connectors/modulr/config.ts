import * as kit from "#modules/payments/connectors/kit/index.ts";

export const MODULR_FIELDS = [
  { ...kit.REQUIRED_TEXT, name: "apiKey", label: "APIKey", isSecret: true },
  { ...kit.REQUIRED_TEXT, name: "apiSecret", label: "APISecret", isSecret: true },
  { ...kit.REQUIRED_TEXT, name: "endpoint", label: "Endpoint" },
] as const satisfies readonly kit.ConfigField[];

export type ModulrConfig = kit.ConfigOf<typeof MODULR_FIELDS>;
