import * as fc from "fast-check";
import { toScript } from "#ledger-engine/rules/log/idempotency.ts";
import { parseAccount } from "#ledger-engine/rules/names.ts";
import type { Command, CreateTransaction, Posting } from "#ledger-engine/rules/types.ts";
import { parseJson } from "#platform/json.ts";
import { fromMicros, parseTimestamp, type Timestamp, toMicros } from "#platform/time.ts";
import {
  create,
  deleteMetadata,
  insertSchema,
  posting,
  revert,
  setMetadata,
  template,
} from "#test/support/ledger-engine/fixtures.ts";

/** A step of a test, which a ledger and its model take. */
export type Step =
  | { readonly kind: "write"; readonly write: Write; readonly dryRun: boolean }
  | {
      readonly kind: "bulk";
      readonly writes: readonly Write[];
      readonly atomic: boolean;
      readonly continueOnFailure: boolean;
      readonly schema: SchemaChoice;
    }
  /** Sends an earlier write again, with its idempotency key. */
  | { readonly kind: "repeat"; readonly nth: number }
  /** Evicts the ledger, which loses what it holds in memory. */
  | { readonly kind: "evict" }
  /** Moves the clock forward or back. */
  | { readonly kind: "wait"; readonly seconds: number };

export interface Write {
  /** The idempotency key; empty for none. */
  readonly key: string;
  readonly schema: SchemaChoice;
  /** Makes the command from the ids of existing transactions and the start of the test. */
  readonly toCommand: (ids: readonly number[], start: Timestamp) => Command;
}

/** The schema that a write names: an existing one, by its place; an unknown one; or none for undefined. */
export type SchemaChoice = number | "unknown" | undefined;

/** The version that a write names; empty for none. */
export function versionOf(choice: SchemaChoice, versions: readonly string[]): string {
  if (typeof choice !== "number") return choice ?? "";
  return versions[choice % versions.length] ?? "";
}

const ACCOUNTS = ["world", "a", "b", "users:1", "users:2:main", "__proto__"];
const ASSETS = ["USD", "EUR/2", "BTC/8"];
const METADATA_KEYS = ["k", "10", "9", "__proto__", "é"];
/** Ids that no transaction has. */
const UNKNOWN_IDS = [0, 1_000_000, Number.MAX_SAFE_INTEGER];
const FIRST_AND_LAST = ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z"].map(parseTimestamp);

/** A value in about one of `of` cases, otherwise undefined. */
const rarely = <T>(of: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: of - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

const account = fc.constantFrom(...ACCOUNTS);
const amount = fc.oneof(
  { weight: 6, arbitrary: fc.bigInt(0n, 100n) },
  { weight: 1, arbitrary: fc.bigInt(2n ** 53n - 3n, 2n ** 53n + 3n) },
  { weight: 1, arbitrary: fc.bigInt(0n, 10n ** 40n) },
);
const postings: fc.Arbitrary<Posting[]> = fc.array(
  fc
    .record({
      source: fc.oneof({ weight: 2, arbitrary: fc.constant("world") }, account),
      destination: account,
      amount,
      asset: fc.constantFrom(...ASSETS),
    })
    .map((it) => posting(`${it.source} -> ${it.destination}`, it.amount, it.asset)),
  { minLength: 1, maxLength: 4 },
);
/** Metadata made of pairs, because fast-check's dictionaries cannot have the key `__proto__`. */
const metadata = fc
  .array(fc.tuple(fc.constantFrom(...METADATA_KEYS), fc.constantFrom("1", "2", "")), {
    maxLength: 3,
  })
  .map((pairs) => Object.fromEntries(pairs));
const accountMetadata = fc
  .array(fc.tuple(account, metadata), { minLength: 1, maxLength: 2 })
  .map((pairs) => Object.fromEntries(pairs));
/** Seconds after the start of the test, close to the dates of insertion, or the first or last possible date. */
const effectiveDate = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: -5, max: 40 }) },
  { weight: 1, arbitrary: fc.constantFrom(...FIRST_AND_LAST) },
);
const isForced = fc.boolean();

const createDraft = fc
  .record({
    postings,
    date: rarely(2, effectiveDate),
    reference: rarely(6, fc.constantFrom("r1", "r2", "r3")),
    metadata: fc.oneof(fc.constant({}), metadata),
    accountMetadata: rarely(5, accountMetadata),
    force: isForced,
    asScript: fc.nat(3).map((dice) => dice === 0),
  })
  .map(({ postings, date, reference, metadata, accountMetadata, force, asScript }) => ({
    toCommand: (_ids: readonly number[], start: Timestamp): Command => {
      const timestamp = typeof date === "number" ? secondsAfter(start, date) : date;
      const command = create(postings, {
        metadata,
        force,
        ...(timestamp === undefined ? {} : { timestamp }),
        ...(reference === undefined ? {} : { reference }),
        ...(accountMetadata === undefined ? {} : { accountMetadata }),
      });
      return asScript ? toScriptCommand(command) : command;
    },
  }));

/** For each command that runs a script, the equivalent command with postings. */
const writtenOut = new WeakMap<Command, Command>();

function toScriptCommand({ postings, force, ...rest }: CreateTransaction): Command {
  const command: Command = { ...rest, kind: "runScript", script: toScript(postings, force) };
  writtenOut.set(command, { postings, force, ...rest });
  return command;
}

const VERSIONS = ["v1", "v2", "v3"];
/** The chart of two of the schemas. It allows all accounts and gives most of them default metadata. */
const CHART = `{
  "world": {".metadata": {"k": {"default": "w"}}}, "b": {".metadata": {"none": {}}},
  "a": {".metadata": {"k": {"default": "1"}, "__proto__": {"default": "2"}}},
  "users": {"$id": {".pattern": "^[0-9]$", ".self": {}, ".metadata": {"10": {"default": "d"}},
    "$name": {".metadata": {"k": {"default": ""}}}}},
  "__proto__": {".metadata": {"é": {"default": "1"}}}
}`;
const TEMPLATE = "pay";
const TEMPLATE_SCRIPT = [
  "vars {",
  "  account $from",
  "  account $to",
  "  monetary $amount",
  "}",
  "send $amount (",
  "  source = $from allowing unbounded overdraft",
  "  destination = $to",
  ")",
].join("\n");
const SCHEMAS = [
  `{"chart":${CHART}}`,
  '{"chart":{"world":{},"a":{},"users":{"1":{".metadata":{"9":{"default":"1"}}}}}}',
  `{"chart":${CHART},"transactions":{"${TEMPLATE}":{"script":${JSON.stringify(TEMPLATE_SCRIPT)}}}}`,
].map((text) => parseJson(text) as object); // the texts above are objects

const insertionDraft = fc
  .record({ version: fc.constantFrom(...VERSIONS), body: fc.constantFrom(...SCHEMAS) })
  .map(({ version, body }) => ({
    toCommand: (): Command => insertSchema(version, body),
  }));

const templateDraft = fc
  .record({
    name: fc.oneof(
      { weight: 9, arbitrary: fc.constant(TEMPLATE) },
      { weight: 1, arbitrary: fc.constant("unknown") },
    ),
    from: account,
    to: account,
    amount,
    metadata,
  })
  .map(({ name, from, to, amount, metadata }) => ({
    toCommand: (): Command => {
      const command = template(name, { from, to, amount: `USD ${amount}` }, { metadata });
      const postings = posting(`${from} -> ${to}`, amount);
      writtenOut.set(command, create(postings, { metadata, force: true }));
      return command;
    },
  }));

/** The command with postings in place of a script, because the model runs no scripts. */
export const withoutScript = (command: Command): Command => writtenOut.get(command) ?? command;

/** Chooses an existing transaction, or rarely an unknown one. */
const choice = fc.record({
  nth: fc.nat(50),
  unknown: rarely(15, fc.constantFrom(...UNKNOWN_IDS)),
});
const idOf = (
  { nth, unknown }: { nth: number; unknown: number | undefined },
  ids: readonly number[],
) => unknown ?? ids[nth % ids.length] ?? nth;

const revertDraft = fc
  .record({
    choice,
    metadata: rarely(2, metadata),
    force: isForced,
    atEffectiveDate: fc.boolean(),
  })
  .map(({ choice, metadata, ...options }) => ({
    toCommand: (ids: readonly number[]): Command =>
      revert(idOf(choice, ids), { ...options, ...(metadata === undefined ? {} : { metadata }) }),
  }));

const target = fc.oneof(choice, account);
const targetOf = (
  chosen: string | { nth: number; unknown: number | undefined },
  ids: readonly number[],
) => (typeof chosen === "string" ? parseAccount(chosen, "account") : idOf(chosen, ids));

const setMetadataDraft = fc.record({ target, metadata }).map(({ target, metadata }) => ({
  toCommand: (ids: readonly number[]): Command => setMetadata(targetOf(target, ids), metadata),
}));
const deleteMetadataDraft = fc
  .record({ target, key: fc.constantFrom(...METADATA_KEYS) })
  .map(({ target, key }) => ({
    toCommand: (ids: readonly number[]): Command => deleteMetadata(targetOf(target, ids), key),
  }));

const schema: fc.Arbitrary<SchemaChoice> = fc.oneof(
  { weight: 12, arbitrary: fc.nat(5) },
  { weight: 7, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.constant("unknown" as const) },
);

const drafts = [
  { weight: 6, arbitrary: createDraft },
  { weight: 2, arbitrary: revertDraft },
  { weight: 2, arbitrary: setMetadataDraft },
  { weight: 1, arbitrary: deleteMetadataDraft },
];
const schemaDrafts = [
  { weight: 1, arbitrary: templateDraft },
  { weight: 1, arbitrary: insertionDraft },
];

const toWrite = ({ hasSchemas }: StepOptions): fc.Arbitrary<Write> =>
  fc
    .record({
      key: rarely(6, fc.constantFrom("k1", "k2", "k3")).map((key) => key ?? ""),
      draft: fc.oneof(...drafts, ...(hasSchemas ? schemaDrafts : [])),
      schema: hasSchemas ? schema : fc.constant(undefined),
    })
    .map(({ key, draft, schema }) => ({ key, schema, ...draft }));

function toStep(options: StepOptions): fc.Arbitrary<Step> {
  const write = toWrite(options);
  return fc.oneof(
    {
      weight: 12,
      arbitrary: fc.record({
        kind: fc.constant("write" as const),
        write,
        dryRun: fc.nat(5).map((dice) => dice === 0),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant("bulk" as const),
        writes: fc.array(write, { maxLength: 6 }),
        atomic: fc.boolean(),
        continueOnFailure: fc.boolean(),
        schema: options.hasSchemas ? schema : fc.constant(undefined),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("repeat" as const), nth: fc.nat(20) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("evict" as const) }) },
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant("wait" as const),
        seconds: fc.integer({ min: -3, max: 5 }),
      }),
    },
  );
}

export interface StepOptions {
  /** Whether steps insert schemas and writes name them. */
  readonly hasSchemas: boolean;
}

/** Random steps of a ledger. */
export const steps = (
  maxLength: number,
  options: StepOptions = { hasSchemas: true },
): fc.Arbitrary<Step[]> => fc.array(toStep(options), { maxLength, size: "max" });

const secondsAfter = (start: Timestamp, seconds: number): Timestamp =>
  fromMicros(toMicros(start) + BigInt(seconds) * 1_000_000n);
