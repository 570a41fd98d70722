import { inputsHash, toBase64 } from "./entry-hashes.ts";
import {
  CONTENT,
  ENTRY_SIZE,
  type ListedRow,
  type ListedSqlRow,
  type LogSizeRow,
  type LogSqlRow,
} from "./log-rows.ts";
import {
  countFirst,
  entriesIn,
  entriesOf,
  type LogRef,
  type RangeLimits,
  refsOf,
} from "./log-tables.ts";
import {
  accountMetadataBytes,
  countWithin,
  metadataBytes,
  transactionBytes,
} from "#ledger-engine/rules/limits.ts";
import { withoutNulls } from "#ledger-engine/rules/metadata.ts";
import type { LogListEntry } from "#ledger-engine/rules/reads.ts";
import type { AccountVolumes, LogData, LogEntry, Transaction } from "#ledger-engine/rules/types.ts";
import { BoundedMap } from "#ledger-engine/storage/bounded-map.ts";
import { readContiguousVolumes } from "#ledger-engine/storage/contiguous-volumes.ts";
import type { Names } from "#ledger-engine/storage/names/names.ts";
import {
  decodeKey,
  decodeMetadata,
  decodeSchemaEntry,
  decodeTransaction,
  LOG_TYPES,
  type SchemaTrace,
  type TransactionPayload,
} from "#ledger-engine/storage/payload.ts";
import {
  type StoredTransaction,
  toTransaction,
  type TransactionReader,
} from "#ledger-engine/storage/transaction-reader.ts";
import type { Sql } from "#platform/sql/sql.ts";
import { fromMicros } from "#platform/time.ts";

/** The most entries of lists that are kept. */
const LISTED_CACHED_MAX = 256;
/** Entries above this estimated size, in bytes, are not kept. */
const CACHED_SIZE_MAX = 8000;

/** Reads log entries. Later writes never change how an entry reads. */
export class LogReader {
  readonly #sql: Sql;
  readonly #transactions: TransactionReader;
  readonly #keepsEffectiveVolumes: boolean;
  /** Small entries of lists by id, because clients that follow the log read the same entries again and again. */
  readonly #listed = new BoundedMap<number, LogListEntry>(LISTED_CACHED_MAX);

  constructor(
    sql: Sql,
    transactions: TransactionReader,
    { keepsEffectiveVolumes }: { keepsEffectiveVolumes: boolean },
  ) {
    this.#sql = sql;
    this.#transactions = transactions;
    this.#keepsEffectiveVolumes = keepsEffectiveVolumes;
  }

  find(ref: LogRef): LogEntry | undefined {
    return this.#read([ref])[0];
  }

  /** Finds the entry that used an idempotency key; `hash` is the hash of its inputs in hex. */
  findByKey(key: string): (LogRef & { hash: string | null }) | undefined {
    return this.#sql.all<LogRef & { hash: string | null }>(
      `SELECT log AS id, id AS tx, lower(hex(key_hash)) AS hash FROM tx WHERE key = ?1
        UNION ALL SELECT id, NULL, lower(hex(key_hash)) FROM entry WHERE key = ?1`,
      key,
    )[0];
  }

  /** The first entries of a range, in order: as many as the limits allow, but at least one if there is any. */
  range(from: number, to: number, limits: RangeLimits): LogEntry[] {
    const range = { from, to };
    const limit = countFirst(this.#sql, "octet_length(payload)", { range, ...limits });
    const rows = entriesIn<LogSqlRow>(this.#sql, { columns: CONTENT, range, limit });
    const entries = this.#toEntries(rows, { isRange: true });
    return entries.slice(0, countWithin(entries, limits.bytesMax, eventBytesOf));
  }

  /** The entries of the first ids: as many as the limit allows, but at least one if any exists. */
  findAll(ids: readonly number[], { bytesMax }: { bytesMax: number }): LogEntry[] {
    const refs = refsOf(this.#sql, ids);
    const sizes = this.#sizesOf(refs);
    const wanted = refs.slice(
      0,
      countWithin(refs, bytesMax, ({ id }) => sizes.get(id) ?? 0),
    );
    const found = this.#read(wanted);
    const byId = new Map(found.map((entry) => [entry.id, entry]));
    const entries = wanted.flatMap(({ id }) => byId.get(id) ?? []);
    return entries.slice(0, countWithin(entries, bytesMax, eventBytesOf));
  }

  /** The entries of rows, in their order: as many as the limit allows, but at least one. */
  listed(rows: readonly ListedRow[], { bytesMax }: { bytesMax: number }): LogListEntry[] {
    const found: LogListEntry[] = [];
    let bytes = 0;
    for (const chunk of chunksOf(rows)) {
      for (const entry of this.#listedOf(chunk)) {
        bytes += eventBytesOf(entry);
        if (found.length > 0 && bytes > bytesMax) return found;
        found.push(entry);
      }
    }
    return found;
  }

  /** Forgets all entries, because some may have been rolled back. */
  reset(): void {
    this.#listed.clear();
  }

  /** The entries of rows, from the cache or decoded from the rows. */
  #listedOf(rows: readonly ListedRow[]): LogListEntry[] {
    const missing = rows.filter(({ id }) => this.#listed.get(id) === undefined);
    const made = new Map<number, LogListEntry>();
    for (const [index, entry] of this.toListed(this.withPayloads(missing)).entries()) {
      made.set(entry.id, entry);
      if ((missing[index]?.size ?? Infinity) <= CACHED_SIZE_MAX) this.#listed.set(entry.id, entry);
    }
    const entries = rows.flatMap(({ id }) => made.get(id) ?? this.#listed.get(id) ?? []);
    this.#listed.trim();
    return entries;
  }

  /** Reads the payloads that are missing because they are large. */
  withPayloads(rows: readonly ListedRow[]): ListedSqlRow[] {
    if (rows.every(hasPayload)) return [...rows];
    const large = rows.filter((row) => !hasPayload(row));
    const read = entriesOf<LogRef & { payload: string }>(this.#sql, ", payload", large);
    const payloads = new Map(read.map(({ id, payload }) => [id, payload]));
    return rows.map((row) => {
      if (hasPayload(row)) return row;
      const payload = payloads.get(row.id);
      if (payload === undefined) throw new Error(`log entry ${row.id} has no payload`);
      return { ...row, payload };
    });
  }

  #read(refs: readonly LogRef[]): LogEntry[] {
    return this.#toEntries(entriesOf<LogSqlRow>(this.#sql, CONTENT, refs));
  }

  #sizesOf(refs: readonly LogRef[]): ReadonlyMap<number, number> {
    const rows = entriesOf<LogSizeRow>(this.#sql, `, ${ENTRY_SIZE} AS size`, refs);
    return new Map(rows.map(({ id, size }) => [id, size]));
  }

  toListed(rows: readonly ListedSqlRow[], options?: ContextOptions): LogListEntry[] {
    const hashes = toBase64(rows.map(({ hash }) => hash));
    return this.#toEntries(rows, options).map((entry, index) => {
      const idempotencyHash = inputsHash(entry, rows[index]?.keyHash ?? null);
      return Object.assign(entry, { idempotencyHash, hash: hashes[index] ?? "" });
    });
  }

  #toEntries(rows: readonly LogSqlRow[], options?: ContextOptions): LogEntry[] {
    const context = this.#readContext(rows, options);
    return rows.map((row) => {
      const { data, schemaVersion } = decodeEntry(row, context);
      // Looking up the date of the transaction is faster than converting the number to a date.
      const date = context.committed.get(row.tx ?? -1)?.insertedAt ?? fromMicros(row.date);
      const entry = { id: row.id, date, idempotencyKey: row.key ?? "", data };
      return schemaVersion === undefined ? entry : { ...entry, schemaVersion };
    });
  }

  /** Reads the names, volumes and reverted transactions that the entries of rows need, in few statements. */
  #readContext(rows: readonly LogSqlRow[], options?: ContextOptions): LogContext {
    const committed = rows.filter(({ tx }) => tx !== null).map(toCommitted);
    const revertedIds = committed.flatMap(({ payload }) => payload.reverts ?? []);
    const reverted = this.#transactions.findAll(revertedIds);
    const names = this.#transactions.namesOf(
      [...committed, ...reverted].map(({ payload }) => payload),
    );
    const isRange = options?.isRange === true || areConsecutive(committed);
    const volumes = new Map<number, readonly AccountVolumes[]>(
      isRange ? readContiguousVolumes(this.#sql, committed, names) : [],
    );
    const others = isRange ? reverted : [...committed, ...reverted];
    for (const [id, found] of this.#transactions.readVolumes(others, names)) {
      volumes.set(id, found.volumes);
    }
    return {
      keepsEffectiveVolumes: this.#keepsEffectiveVolumes,
      names,
      committed: new Map(committed.map((row) => [row.id, row])),
      reverted: new Map(reverted.map((row) => [row.id, row])),
      volumes,
    };
  }
}

const hasPayload = (row: ListedRow): row is ListedRow & ListedSqlRow => row.payload !== null;

/** Splits rows into chunks of at most `CHUNK_BYTES_MAX`, so that the entries of a chunk fit in memory. */
function* chunksOf(rows: readonly ListedRow[]): Generator<readonly ListedRow[]> {
  let rest = rows;
  while (rest.length > 0) {
    const count = countWithin(rest, CHUNK_BYTES_MAX, ({ size }) => size);
    yield rest.slice(0, count);
    rest = rest.slice(count);
  }
}

interface ContextOptions {
  /** Whether the rows are all entries of a range of ids, in order. */
  readonly isRange: boolean;
}

/** Whether the ids of transactions rise or fall by one, so that no transaction lies between them. */
function areConsecutive(transactions: readonly StoredTransaction[]): boolean {
  const [first, second] = transactions;
  if (first === undefined || second === undefined) return true;
  const step = second.id > first.id ? 1 : -1;
  return transactions.every(({ id }, index) => id === first.id + index * step);
}

/** The most bytes of JSON of a list that are read at a time. */
export const CHUNK_BYTES_MAX = 4_000_000;

/** An estimate of the bytes of an entry about metadata or a schema, without the metadata or schema itself. */
const METADATA_ENTRY_BYTES = 1000;

function eventBytesOf({ data }: LogEntry): number {
  switch (data.type) {
    case "NEW_TRANSACTION":
      return (
        transactionBytes(data.transaction) +
        accountMetadataBytes(withoutNulls(data.accountMetadata))
      );
    case "REVERTED_TRANSACTION":
      return transactionBytes(data.transaction) + transactionBytes(data.revertedTransaction);
    case "SET_METADATA":
      return METADATA_ENTRY_BYTES + metadataBytes(data.metadata ?? {});
    case "DELETE_METADATA":
      return METADATA_ENTRY_BYTES + metadataBytes({ [data.key]: "" });
    case "INSERTED_SCHEMA":
      return METADATA_ENTRY_BYTES + data.schema.text.length;
  }
}

interface LogContext {
  readonly keepsEffectiveVolumes: boolean;
  readonly names: Names;
  readonly committed: ReadonlyMap<number, StoredTransaction>;
  readonly reverted: ReadonlyMap<number, StoredTransaction>;
  /** The volumes after each transaction, in order of first appearance. */
  readonly volumes: ReadonlyMap<number, readonly AccountVolumes[]>;
}

/** The transaction of a log row in its state at commit. */
export function toCommitted(row: LogSqlRow): StoredTransaction {
  const date = fromMicros(row.date);
  return {
    id: row.tx ?? 0,
    insertedAt: date,
    payload: decodeTransaction(row.payload),
    metadata: undefined,
    updatedAt: date,
    revertedAt: undefined,
  };
}

/** The part of an entry that its payload contains. */
type EntryContent = Pick<LogEntry, "data" | "schemaVersion">;

function decodeEntry(row: LogSqlRow, context: LogContext): EntryContent {
  switch (row.type) {
    case LOG_TYPES.NEW_TRANSACTION: {
      const { payload } = at(context.committed, row.tx);
      const { accountMetadata = {} } = payload;
      const transaction = committedTransaction(row, context);
      return contentOf({ type: "NEW_TRANSACTION", transaction, accountMetadata }, payload);
    }
    case LOG_TYPES.REVERTED_TRANSACTION: {
      const { payload } = at(context.committed, row.tx);
      const data: LogData = {
        type: "REVERTED_TRANSACTION",
        revertedTransaction: revertedTransaction(row, payload, context),
        transaction: committedTransaction(row, context),
      };
      return contentOf(data, payload);
    }
    case LOG_TYPES.SET_METADATA: {
      const { entry, trace } = decodeMetadata(row.payload);
      return contentOf({ type: "SET_METADATA", ...entry }, trace);
    }
    case LOG_TYPES.DELETE_METADATA: {
      const { entry, trace } = decodeKey(row.payload);
      return contentOf({ type: "DELETE_METADATA", ...entry }, trace);
    }
    case LOG_TYPES.INSERTED_SCHEMA: {
      const { schema, trace } = decodeSchemaEntry(row.payload);
      return contentOf({ type: "INSERTED_SCHEMA", schema }, trace);
    }
    default:
      throw new Error(`log entry ${row.id} is of the unknown type ${row.type}`);
  }
}

const contentOf = (data: LogData, { schemaVersion }: SchemaTrace): EntryContent =>
  schemaVersion === undefined ? { data } : { data, schemaVersion };

function committedTransaction(row: LogSqlRow, context: LogContext): Transaction {
  const stored = at(context.committed, row.tx);
  const transaction = toTransaction(stored, context.names);
  const volumes = at(context.volumes, row.tx);
  transaction.volumes = volumes;
  if (context.keepsEffectiveVolumes) {
    transaction.effectiveVolumes = effectiveVolumesOf(volumes, stored.payload.effective);
  }
  return transaction;
}

/** The effective volumes at commit. `effective` comes from the payload, which has it only if they differ from the volumes. */
export const effectiveVolumesOf = (
  volumes: readonly AccountVolumes[],
  effective: TransactionPayload["effective"],
): readonly AccountVolumes[] =>
  effective === undefined
    ? volumes
    : volumes.map((entry, index) => ({ ...entry, ...effective[index] }));

/** The reverted transaction in its state right after the revert. Later changes of its metadata do not show. */
function revertedTransaction(
  row: LogSqlRow,
  payload: TransactionPayload,
  context: LogContext,
): Transaction {
  const original = at(context.reverted, payload.reverts);
  const date = fromMicros(row.date);
  return {
    ...toTransaction({ ...original, updatedAt: date, revertedAt: date }, context.names),
    metadata: payload.revertedMetadata ?? original.payload.metadata ?? {},
    volumes: at(context.volumes, payload.reverts),
  };
}

function at<V>(map: ReadonlyMap<number, V>, id: number | null | undefined): V {
  const value = id === null || id === undefined ? undefined : map.get(id);
  if (value === undefined) throw new Error(`the log names transaction ${id}, which has no row`);
  return value;
}
