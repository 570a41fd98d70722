import { fromMicros } from "../../../platform/time.ts";
import {
  accountMetadataBytes,
  countWithin,
  METADATA_BYTES_MAX,
  transactionBytes,
} from "../core/limits.ts";
import type { LogData, LogEntry, Transaction } from "../core/types.ts";
import type { Names } from "./names.ts";
import {
  decodeKey,
  decodeMetadata,
  decodeTransaction,
  LOG_TYPES,
  type TransactionPayload,
} from "./payload.ts";
import type { Sql } from "./sql.ts";
import {
  type StoredTransaction,
  toTransaction,
  type TransactionReader,
  type TransactionVolumes,
} from "./transaction-reader.ts";

type LogSqlRow = {
  id: number;
  date: number;
  type: number;
  tx: number | null;
  payload: string;
  key: string | null;
};

type LogSizeRow = { id: number; size: number };

const SELECT_LOG = "SELECT id, date, type, tx, payload, key FROM log";

/** Reads log entries. An entry reads the same for ever, whatever is written after it. */
export class LogReader {
  readonly #sql: Sql;
  readonly #transactions: TransactionReader;
  readonly #keepsEffectiveVolumes: boolean;

  constructor(
    sql: Sql,
    transactions: TransactionReader,
    { keepsEffectiveVolumes }: { keepsEffectiveVolumes: boolean },
  ) {
    this.#sql = sql;
    this.#transactions = transactions;
    this.#keepsEffectiveVolumes = keepsEffectiveVolumes;
  }

  find(id: number): LogEntry | undefined {
    return this.#toEntries(this.#sql.all<LogSqlRow>(`${SELECT_LOG} WHERE id = ?`, id))[0];
  }

  /** The entry that a key was used for, and the hash of its inputs in hex. */
  findByKey(key: string): { id: number; hash: string | null } | undefined {
    return this.#sql.all<{ id: number; hash: string | null }>(
      "SELECT id, lower(hex(key_hash)) AS hash FROM log WHERE key = ?",
      key,
    )[0];
  }

  /** Entries of a range in order, at least one if there is any, as many as the limits allow. */
  range(from: number, to: number, limits: RangeLimits): LogEntry[] {
    // The sizes first: they are read without the payloads, which may be large.
    const sizes = this.#sql.all<LogSizeRow>(
      "SELECT id, octet_length(payload) AS size FROM log WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?",
      from,
      to,
      limits.countMax,
    );
    const last = sizes[countWithin(sizes, limits.bytesMax, ({ size }) => size) - 1];
    if (last === undefined) return [];
    const rows = this.#sql.all<LogSqlRow>(
      `${SELECT_LOG} WHERE id BETWEEN ? AND ? ORDER BY id`,
      from,
      last.id,
    );
    const entries = this.#toEntries(rows);
    return entries.slice(0, countWithin(entries, limits.bytesMax, eventBytesOf));
  }

  /** Entries by their ids: those of the first ids, at least one if there is any, as many as the limit allows. */
  findAll(ids: readonly number[], { bytesMax }: { bytesMax: number }): LogEntry[] {
    const rows = this.#sql.all<LogSizeRow>(
      "SELECT id, octet_length(payload) AS size FROM log WHERE id IN (SELECT value FROM json_each(?))",
      `[${ids.join(",")}]`,
    );
    const sizes = new Map(rows.map(({ id, size }) => [id, size]));
    const sizeOf = (id: number): number => (sizes.get(id) ?? 0) * EVENT_GROWTH;
    const wanted = ids.slice(0, countWithin(ids, bytesMax, sizeOf));
    const found = this.#toEntries(
      this.#sql.all<LogSqlRow>(
        `${SELECT_LOG} WHERE id IN (SELECT value FROM json_each(?))`,
        `[${wanted.join(",")}]`,
      ),
    );
    const byId = new Map(found.map((entry) => [entry.id, entry]));
    const entries = wanted.flatMap((id) => byId.get(id) ?? []);
    return entries.slice(0, countWithin(entries, bytesMax, eventBytesOf));
  }

  #toEntries(rows: readonly LogSqlRow[]): LogEntry[] {
    const context = this.#readContext(rows);
    return rows.map((row) => ({
      id: row.id,
      date: fromMicros(BigInt(row.date)),
      idempotencyKey: row.key ?? "",
      data: toData(row, context),
    }));
  }

  /** Reads in few statements what the transactions of the rows need: names, volumes, reverted transactions. */
  #readContext(rows: readonly LogSqlRow[]): LogContext {
    const committed = rows.filter(({ tx }) => tx !== null).map(toCommitted);
    const revertedIds = committed.flatMap(({ payload }) => payload.reverts ?? []);
    const reverted = this.#transactions.findAll(revertedIds);
    const all = [...committed, ...reverted];
    const names = this.#transactions.namesOf(all.map(({ payload }) => payload));
    return {
      keepsEffectiveVolumes: this.#keepsEffectiveVolumes,
      names,
      committed: new Map(committed.map((row) => [row.id, row])),
      reverted: new Map(reverted.map((row) => [row.id, row])),
      volumes: this.#transactions.readVolumes(all, names),
    };
  }
}

/** How much larger an event may be than its payload: what is read and then not given is read again. */
const EVENT_GROWTH = 40;

export interface RangeLimits {
  readonly countMax: number;
  /** Of the payloads as stored, and of the events that the entries become. */
  readonly bytesMax: number;
}

function eventBytesOf({ data }: LogEntry): number {
  switch (data.type) {
    case "NEW_TRANSACTION":
      return transactionBytes(data.transaction) + accountMetadataBytes(data.accountMetadata);
    case "REVERTED_TRANSACTION":
      return transactionBytes(data.transaction) + transactionBytes(data.revertedTransaction);
    case "SET_METADATA":
    case "DELETE_METADATA":
      return METADATA_BYTES_MAX;
  }
}

interface LogContext {
  readonly keepsEffectiveVolumes: boolean;
  readonly names: Names;
  readonly committed: ReadonlyMap<number, StoredTransaction>;
  readonly reverted: ReadonlyMap<number, StoredTransaction>;
  readonly volumes: ReadonlyMap<number, TransactionVolumes>;
}

/** The transaction of a log row, as it was when it was committed. */
function toCommitted(row: LogSqlRow): StoredTransaction {
  const date = fromMicros(BigInt(row.date));
  return {
    id: row.tx ?? 0,
    insertedAt: date,
    payload: decodeTransaction(row.payload),
    metadata: undefined,
    updatedAt: date,
    revertedAt: undefined,
  };
}

function toData(row: LogSqlRow, context: LogContext): LogData {
  switch (row.type) {
    case LOG_TYPES.NEW_TRANSACTION: {
      const { payload } = at(context.committed, row.tx);
      return {
        type: "NEW_TRANSACTION",
        transaction: committedTransaction(row, context),
        accountMetadata: payload.accountMetadata ?? {},
      };
    }
    case LOG_TYPES.REVERTED_TRANSACTION: {
      const { payload } = at(context.committed, row.tx);
      return {
        type: "REVERTED_TRANSACTION",
        revertedTransaction: revertedTransaction(row, payload, context),
        transaction: committedTransaction(row, context),
      };
    }
    case LOG_TYPES.SET_METADATA:
      return { type: "SET_METADATA", ...decodeMetadata(row.payload) };
    case LOG_TYPES.DELETE_METADATA:
      return { type: "DELETE_METADATA", ...decodeKey(row.payload) };
    default:
      throw new Error(`log entry ${row.id} is of the unknown type ${row.type}`);
  }
}

function committedTransaction(row: LogSqlRow, context: LogContext): Transaction {
  const stored = at(context.committed, row.tx);
  const { volumes } = at(context.volumes, row.tx);
  const { effective } = stored.payload;
  return {
    ...toTransaction(stored, context.names),
    volumes,
    ...(context.keepsEffectiveVolumes
      ? {
          effectiveVolumes:
            effective === undefined
              ? volumes
              : volumes.map((entry, index) => ({ ...entry, ...effective[index] })),
        }
      : {}),
  };
}

/** The original as the revert left it: its metadata may change later, the entry keeps that of the moment. */
function revertedTransaction(
  row: LogSqlRow,
  payload: TransactionPayload,
  context: LogContext,
): Transaction {
  const original = at(context.reverted, payload.reverts);
  const date = fromMicros(BigInt(row.date));
  return {
    ...toTransaction({ ...original, updatedAt: date, revertedAt: date }, context.names),
    metadata: payload.revertedMetadata ?? original.payload.metadata ?? {},
    volumes: at(context.volumes, payload.reverts).volumes,
  };
}

function at<V>(map: ReadonlyMap<number, V>, id: number | null | undefined): V {
  const value = id === null || id === undefined ? undefined : map.get(id);
  if (value === undefined) throw new Error(`the log names transaction ${id}, which has no row`);
  return value;
}
