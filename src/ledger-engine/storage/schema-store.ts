import { BoundedMap } from "./bounded-map.ts";
import { decodeSchemaEntry } from "./payload.ts";
import { ChartCheck } from "#ledger-engine/rules/schemas/chart-check.ts";
import { shown } from "#ledger-engine/rules/schemas/failures.ts";
import { parseSchemaText, type SchemaData } from "#ledger-engine/rules/schemas/ledger-schema.ts";
import { SCHEMAS_MAX } from "#ledger-engine/rules/schemas/limits.ts";
import type { StoredSchema } from "#ledger-engine/rules/types.ts";
import { assert } from "#platform/assert.ts";
import { AppError } from "#platform/errors.ts";
import { first, type Sql } from "#platform/sql/sql.ts";
import { toMicros } from "#platform/time.ts";

/** The most parsed schemas that are kept in memory. Each may be half a megabyte of text. */
const SCHEMAS_CACHED_MAX = 4;

/** The number of characters of a schema whose parsing takes at most as long as one step of a script. */
const LENGTH_PER_STEP = 5;

/** The schema that a write names. */
export interface SchemaUse {
  readonly version: string;
  readonly data: SchemaData;
  /** Checks the addresses of one write. */
  readonly chart: ChartCheck;
}

/** The fields of a schema by which lists filter and sort. */
export interface SchemaSummary {
  readonly log: number;
  readonly version: string;
  /** In microseconds since 1970. */
  readonly createdAt: bigint;
}

/** The schemas of a ledger. The table `schema` says which log entry contains the text of a version. */
export class SchemaStore {
  readonly #sql: Sql;
  readonly #cache = new BoundedMap<string, SchemaData>(SCHEMAS_CACHED_MAX);
  /** The schemas that the current unit of work has created, by version. Their entries may not be written yet. */
  readonly #pending = new Map<string, StoredSchema>();
  /** The version that was created last; empty if there is none, undefined until it is read. */
  #latest: string | undefined;
  #last: SchemaUse | undefined;
  #steps = 0;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** The version that was created last; undefined if the ledger has no schema. */
  get latest(): string | undefined {
    this.#latest ??=
      this.#sql.all<{ version: string }>(
        "SELECT version FROM schema ORDER BY created_at DESC, log DESC LIMIT 1",
      )[0]?.version ?? "";
    return this.#latest === "" ? undefined : this.#latest;
  }

  /** The work that all writes have spent on their schemas so far, in steps of scripts. */
  get steps(): number {
    return this.#steps + (this.#last?.chart.steps ?? 0);
  }

  /** The schema for one write. The result of the call before must no longer be used. Throws `NOT_FOUND` for an unknown version. */
  use(version: string): SchemaUse {
    const data = this.#cache.get(version) ?? this.#read(version);
    this.#steps = this.steps;
    this.#last = { version, data, chart: new ChartCheck(data.chart) };
    return this.#last;
  }

  find(version: string): StoredSchema | undefined {
    const pending = this.#pending.get(version);
    if (pending !== undefined) return pending;
    const [row] = this.#sql.all<{ payload: string }>(
      "SELECT payload FROM schema JOIN entry ON entry.id = schema.log WHERE version = ?",
      version,
    );
    return row === undefined ? undefined : decodeSchemaEntry(row.payload).schema;
  }

  /** Throws `SCHEMA_ALREADY_EXISTS`, or `VALIDATION` if the ledger has too many schemas. */
  assertNew(version: string): void {
    if (this.#sql.all("SELECT 1 FROM schema WHERE version = ?", version).length > 0) {
      const what = `schema version \`${shown(version)}\` already exists`;
      throw new AppError("SCHEMA_ALREADY_EXISTS", what);
    }
    const { count } = first(
      this.#sql.all<{ count: number }>("SELECT count(*) AS count FROM schema"),
    );
    if (count < SCHEMAS_MAX) return;
    throw new AppError("VALIDATION", `a ledger holds at most ${SCHEMAS_MAX} schemas`);
  }

  add(log: number, schema: StoredSchema): void {
    assert(!this.#pending.has(schema.version), "a version is inserted once");
    this.#sql.all(
      "INSERT INTO schema (log, version, created_at) VALUES (?, ?, CAST(? AS INTEGER))",
      log,
      schema.version,
      toMicros(schema.createdAt).toString(),
    );
    this.#pending.set(schema.version, schema);
    this.#latest = undefined;
  }

  /** All schemas, without their contents. */
  summaries(): SchemaSummary[] {
    return this.#sql
      .all<{ log: number; version: string; micros: string }>(
        "SELECT log, version, CAST(created_at AS TEXT) AS micros FROM schema ORDER BY log",
      )
      .map(({ log, version, micros }) => ({ log, version, createdAt: BigInt(micros) }));
  }

  /** The schemas of log entries, in the order of the ids: the first ones up to the limit, but at least one. */
  readAll(logs: readonly number[], { bytesMax }: { bytesMax: number }): StoredSchema[] {
    const found: StoredSchema[] = [];
    let bytes = 0;
    for (const log of logs) {
      const { payload } = first(
        this.#sql.all<{ payload: string }>("SELECT payload FROM entry WHERE id = ?", log),
      );
      bytes += payload.length;
      if (found.length > 0 && bytes > bytesMax) break;
      found.push(decodeSchemaEntry(payload).schema);
    }
    return found;
  }

  /** Ends a unit of work. Its entries must be written. */
  settle(): void {
    this.#pending.clear();
  }

  /** Forgets all schemas in memory: the unit of work that created some may have been rolled back. */
  reset(): void {
    this.#pending.clear();
    this.#cache.clear();
    this.#latest = undefined;
  }

  #read(version: string): SchemaData {
    const schema = this.find(version);
    if (schema === undefined) throw unknownVersion(version, this.latest);
    const data = parseSchemaText(schema.text);
    this.#steps += Math.ceil(schema.text.length / LENGTH_PER_STEP);
    this.#cache.set(version, data);
    // The cache is trimmed at once, because refused writes, and writes of an import, may name many schemas in turn.
    this.#cache.trim();
    return data;
  }
}

function unknownVersion(version: string, latest: string | undefined): AppError {
  const rest =
    latest === undefined
      ? "this ledger doesn't have a schema"
      : `latest available version is \`${latest}\``;
  return new AppError("NOT_FOUND", `schema version \`${shown(version)}\` not found, ${rest}`);
}
