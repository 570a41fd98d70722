import { ENGINE_SETTINGS, type EngineSettings } from "#ledger-engine/engine-settings.ts";
import { LedgerEngine } from "#ledger-engine/engine.ts";
import { toInsertSchema } from "#ledger-engine/requests/commands.ts";
import { parseFeatures } from "#ledger-engine/rules/features.ts";
import { parseAccount, parseAsset } from "#ledger-engine/rules/names.ts";
import type {
  AccountRecord,
  Command,
  CreateTransaction,
  DeleteMetadata,
  Features,
  InsertSchema,
  LedgerInfo,
  LogEntry,
  MetadataTarget,
  Posting,
  RevertTransaction,
  RunScript,
  SetMetadata,
  StoredSchema,
  Transaction,
} from "#ledger-engine/rules/types.ts";
import type { Author, BulkElement, Outcome } from "#ledger-engine/rules/writes.ts";
import { present } from "#platform/assert.ts";
import type { FailureKind } from "#platform/errors.ts";
import { AppError } from "#platform/errors.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import type { Sql } from "#platform/sql/sql.ts";
import { fromMicros, parseTimestamp, type Timestamp, toMicros } from "#platform/time.ts";

/** A timestamp from RFC 3339, or from a time of the day on which the tests take place. */
export function at(text: string): Timestamp {
  const full = text.includes("T") ? text : `2026-03-01T${text.padEnd(8, ":00")}Z`;
  return present(parseTimestamp(full), `${full} is a timestamp`);
}

/** A posting, for example `posting("world -> shops:42", 1500n)`. */
export function posting(way: string, amount: bigint | number, asset = "USD"): Posting {
  const [source = "", destination = ""] = way.split(" -> ");
  return {
    source: parseAccount(source, "source"),
    destination: parseAccount(destination, "destination"),
    amount: BigInt(amount),
    asset: parseAsset(asset),
  };
}

export const create = (
  postings: Posting | readonly Posting[],
  fields: Partial<Omit<CreateTransaction, "kind" | "postings">> = {},
): CreateTransaction => ({
  kind: "createTransaction",
  postings: [postings].flat(),
  metadata: {},
  force: false,
  ...fields,
});

export const script = (
  plain: string,
  fields: Partial<Omit<RunScript, "kind" | "script"> & RunScript["script"]> = {},
): RunScript => {
  const { variables = {}, ...rest } = fields;
  return { kind: "runScript", script: { plain, variables }, ...rest };
};

export const revert = (
  id: number,
  fields: Partial<Omit<RevertTransaction, "kind" | "id">> = {},
): RevertTransaction => ({
  kind: "revertTransaction",
  id,
  force: false,
  atEffectiveDate: false,
  ...fields,
});

/** A run of a template, for example `template("pay", { amount: "USD 5" })`. */
export const template = (
  name: string,
  variables: RunScript["script"]["variables"] = {},
  fields: Partial<Omit<RunScript, "kind" | "script">> = {},
): RunScript => ({
  kind: "runScript",
  script: { plain: "", template: name, variables },
  ...fields,
});

/** Inserts a schema, whose JSON is `body`. */
export const insertSchema = (version: string, body: object): InsertSchema =>
  toInsertSchema(version, parseJson(stringifyJson(body)), { runtime: "machine" });

/** Sets metadata of a transaction if `id` is a number, otherwise of an account. */
export const setMetadata = (
  id: number | string,
  metadata: SetMetadata["metadata"],
): SetMetadata => ({ kind: "setMetadata", target: toTarget(id), metadata });

export const deleteMetadata = (id: number | string, key: string): DeleteMetadata => ({
  kind: "deleteMetadata",
  target: toTarget(id),
  key,
});

const toTarget = (id: number | string): MetadataTarget =>
  typeof id === "number"
    ? { type: "TRANSACTION", id }
    : { type: "ACCOUNT", id: parseAccount(id, "account") };

export const element = (command: Command, idempotencyKey = ""): BulkElement => ({
  command: { ok: true, value: command },
  idempotencyKey,
});

/** Volumes as `account asset input/output`, in the order given. */
export const volumeTexts = (volumes: Transaction["volumes"]): string[] =>
  (volumes ?? []).map(
    ({ account, asset, input, output }) => `${account} ${asset} ${input}/${output}`,
  );

/** The kind of the failure with which work is refused; `none` for a success. */
export function refusalOf(work: () => unknown): FailureKind | "none" {
  try {
    work();
    return "none";
  } catch (error) {
    if (error instanceof AppError) return error.kind;
    throw error;
  }
}

const LIMITS = { countMax: 100_000, bytesMax: 1_000_000_000 };
/** Expansions of reads: without volumes, with some volumes, or with all. */
export const BARE = { volumes: false, effectiveVolumes: false };
export const WITH_VOLUMES = { volumes: true, effectiveVolumes: false };
export const EXPANDED = { volumes: true, effectiveVolumes: true };

/** The time between two commands, in microseconds. */
const STEP_MICROS = 1_000_000n;

/** A ledger on `node:sqlite` with a clock that starts at 10:00, advances a second before each write, and can be set. */
export class TestLedger {
  engine: LedgerEngine;
  now: Timestamp;
  readonly sql: Sql;
  readonly #settings: EngineSettings;

  constructor(options: TestLedgerOptions = {}) {
    const { sql = new NodeSql(), features = {}, now = at("10:00"), settings } = options;
    this.sql = sql;
    this.#settings = { ...ENGINE_SETTINGS, ...settings };
    this.now = now;
    if (options.isStored !== true) {
      LedgerEngine.create(sql, { ...INFO, features: { ...INFO.features, ...features } });
    }
    this.engine = this.open();
  }

  /** Opens the stored ledger with a new engine, as after an eviction. */
  open(): LedgerEngine {
    this.engine = new LedgerEngine(this.sql, () => this.now, this.#settings);
    return this.engine;
  }

  run(command: Command, options: RunOptions = {}): Outcome {
    this.tick();
    return this.engine.execute(command, {
      idempotencyKey: options.key ?? "",
      dryRun: options.dryRun ?? false,
      schemaVersion: options.schema ?? "",
      author: options.author,
    });
  }

  /** Runs a command that makes a transaction. */
  commit(command: Command, options: RunOptions = {}): Transaction {
    return present(this.run(command, options).transaction, "the command makes a transaction");
  }

  /** Runs a bulk. Returns the outcome of each element, or the kind of its failure. */
  bulk(
    elements: readonly (Command | BulkElement)[],
    options: TestBulkOptions = {},
  ): (Outcome | FailureKind)[] {
    this.tick();
    const results = this.engine.executeBulk(
      elements.map((item) => ("kind" in item ? element(item) : item)),
      {
        atomic: options.atomic ?? false,
        continueOnFailure: options.continueOnFailure ?? false,
        schemaVersion: options.schema ?? "",
        author: options.author,
      },
    );
    return results.map((result) => (result.ok ? result.value : result.failure.kind));
  }

  tick(): void {
    this.now = fromMicros(toMicros(this.now) + STEP_MICROS);
  }

  transaction(id: number): Transaction {
    return present(this.engine.reads.findTransaction(id, EXPANDED), `transaction ${id} exists`);
  }

  transactions(query: Partial<PageQuery> = {}): readonly Transaction[] {
    return this.engine.reads.listTransactions({ ...ALL, ...query } as PageQuery, EXPANDED).data; // `ALL` with a column is a column query
  }

  /** An account without its volumes. */
  account(address: string): AccountRecord | undefined {
    return this.engine.reads.findAccount(address, BARE);
  }

  /** All accounts by address, with their volumes by asset. */
  accounts(): AccountRecord[] {
    const { data } = this.engine.reads.listAccounts({ ...ALL, column: "address" }, WITH_VOLUMES);
    return data.map((account) => ({
      ...account,
      volumes: (account.volumes ?? []).toSorted((a, b) => (a.asset < b.asset ? -1 : 1)),
    }));
  }

  /** Current volumes of an account by asset, as `input/output`. */
  volumes(address: string): Record<string, string> {
    const account = this.engine.reads.findAccount(address, WITH_VOLUMES);
    return Object.fromEntries(
      (account?.volumes ?? []).map(({ asset, input, output }) => [asset, `${input}/${output}`]),
    );
  }

  /** All schemas, oldest first. */
  schemas(): readonly StoredSchema[] {
    return this.engine.reads.listSchemas({ ...ALL, column: "created_at" }).data;
  }

  logs(): LogEntry[] {
    return this.engine.readLogs(1, Number.MAX_SAFE_INTEGER, LIMITS);
  }

  dump(): string {
    return dumpOf(this.sql);
  }
}

/** The options of a write: an idempotency key, a dry run, or a schema. */
export interface RunOptions {
  readonly key?: string;
  readonly dryRun?: boolean;
  /** The version of the schema. */
  readonly schema?: string;
  readonly author?: Author;
}

export interface TestBulkOptions extends Pick<RunOptions, "schema" | "author"> {
  readonly atomic?: boolean;
  readonly continueOnFailure?: boolean;
}

export interface TestLedgerOptions {
  readonly settings?: Partial<EngineSettings>;
  readonly sql?: Sql;
  readonly features?: Partial<Features>;
  readonly now?: Timestamp;
  /** Whether the database already contains the ledger. */
  readonly isStored?: boolean;
}

export const INFO: LedgerInfo = {
  uuid: "5f0c7c3e-2b7e-4a56-8d3f-0c7b9a3f2d11",
  name: "main",
  bucket: "_default",
  features: parseFeatures({}, { mayChoose: true }),
};

/** A query for all items on one page, by ascending id. */
export const ALL: PageQuery = {
  kind: "column",
  column: "id",
  order: "asc",
  pageSize: 10_000,
  reverse: false,
};

/** Every row of every table as text, with exact values. */
export function dumpOf(sql: Sql): string {
  const tables = sql.all<{ name: string }>(
    "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name",
  );
  return tables.map(({ name }) => dumpTable(sql, name)).join("\n");
}

function dumpTable(sql: Sql, table: string): string {
  const columns = sql.all<{ name: string }>("SELECT name FROM pragma_table_info(?)", table);
  const values = columns.map(({ name }) => `quote("${name}")`).join(` || ' ' || `);
  const rows = sql.all<{ text: string }>(`SELECT ${values} AS text FROM "${table}" ORDER BY 1`);
  return [`# ${table}`, ...rows.map(({ text }) => text)].join("\n");
}
