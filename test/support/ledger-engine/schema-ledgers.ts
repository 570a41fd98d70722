import { create, insertSchema, posting, TestLedger, type TestLedgerOptions } from "./fixtures.ts";
import type { EngineSettings } from "#ledger-engine/engine-settings.ts";
import { parseJson } from "#platform/json.ts";
import { attempt } from "#platform/result.ts";

/** A chart with every kind of account: with default metadata, with a metadata key without a default, and without metadata. */
export const CHART = parseJson(`{
  "world": {".metadata": {"kind": {"default": "outside"}}},
  "bank": {"main": {".metadata": {"kind": {}}}, "fees": {}},
  "users": {
    "$id": {
      ".pattern": "^[0-9]+$", ".self": {},
      ".metadata": {"tier": {"default": "basic"}, "kind": {"default": "user"}, "__proto__": {"default": "p"}},
      "wallet": {".metadata": {"tier": {"default": "wallet"}}}
    }
  }
}`) as object; // the text is an object

/** Sends an amount from the world to an account. */
export const PAY = [
  "vars {",
  "  monetary $amount",
  "  account $to",
  "}",
  "send $amount (",
  "  source = @world",
  "  destination = $to",
  ")",
  'set_tx_meta("by", "template")',
].join("\n");

/** A script that only the interpreter can read. */
export const ONE_LINE = "send [USD 1] (source = @world destination = @users:1)";

/** A ledger with the schema `v1`, which has a chart only, and `v2` with templates. */
export class SchemaLedger extends TestLedger {
  /** The reported violations, which are writes that break the rules of a schema and are accepted. */
  readonly told: readonly string[];

  constructor(options: SchemaLedgerOptions = {}) {
    const told: string[] = [];
    const { isStrict = true, settings = {}, ...rest } = options;
    const schemas = { isStrict, report: (violation: string) => void told.push(violation) };
    super({ ...rest, settings: { ...settings, schemas } });
    this.told = told;
    this.run(insertSchema("v1", { chart: CHART }));
    this.run(insertSchema("v2", { chart: CHART, transactions: TEMPLATES }));
  }
}

const TEMPLATES = {
  pay: { description: "Money in", script: PAY },
  interpreted: { script: ONE_LINE, runtime: "experimental-interpreter" },
};

export interface SchemaLedgerOptions extends Omit<TestLedgerOptions, "settings"> {
  readonly settings?: Partial<Omit<EngineSettings, "schemas">>;
  /** Whether the ledger enforces schemas, by default true. */
  readonly isStrict?: boolean;
}

/** The kind and the message of a refusal; `none` for a success. */
export function refusalTextOf(work: () => unknown): string {
  const result = attempt(work);
  return result.ok ? "none" : `${result.failure.kind}: ${result.failure.message}`;
}

/** A ledger with one payment that names its first schema. */
export function paidLedger(
  options: ConstructorParameters<typeof SchemaLedger>[0] = {},
): SchemaLedger {
  const ledger = new SchemaLedger(options);
  ledger.commit(create(posting("world -> users:1", 5), { metadata: { seen: "yes" } }), {
    schema: "v1",
  });
  return ledger;
}
