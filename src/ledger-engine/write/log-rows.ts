import type { DecodedEntry } from "./pending-entry.ts";
import { entriesAhead, itemsOfReplayed } from "./prefetched-items.ts";
import { countWithin } from "#ledger-engine/rules/limits.ts";
import type { Account, Asset, Posting } from "#ledger-engine/rules/types.ts";
import { entriesIn, numbersIn } from "#ledger-engine/storage/log/log-tables.ts";
import { type NameMaps, readNameMaps } from "#ledger-engine/storage/names/names.ts";
import {
  decodeKey,
  decodeMetadata,
  decodePostingsOf,
  decodeSchemaEntry,
  decodeTransaction,
  LOG_TYPES,
  type SchemaTrace,
} from "#ledger-engine/storage/payload.ts";
import type { WriteBatch } from "#ledger-engine/storage/write-batch.ts";
import type { Sql } from "#platform/sql/sql.ts";
import { fromMicros, type Timestamp } from "#platform/time.ts";

/** A stored row of the log, as plain data. */
export interface StoredLogRow {
  readonly id: number;
  readonly date: Timestamp;
  readonly type: number;
  readonly tx: number | null;
  readonly payload: string;
  /** In hex, as `keyHash`. */
  readonly hash: string | null;
  readonly key: string | null;
  readonly keyHash: string | null;
  readonly hasChecksum: boolean;
}

/** Rows of the log, with the names for the integers in their payloads. */
export interface LogRowPage extends NameMaps {
  readonly rows: readonly StoredLogRow[];
  /** Whether no rows follow. */
  readonly isLast: boolean;
}

/** A damaged log entry: its row cannot be decoded or replayed. */
export class ReplayError extends Error {
  readonly logId: number;

  constructor(logId: number, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`log entry ${logId} cannot be read: ${reason}`, { cause });
    this.name = "ReplayError";
    this.logId = logId;
  }
}

/** The most bytes of payloads of a page. */
const BYTES_MAX = 2_000_000;

/**
 * The rows after a log id, in the order of ids: at most `rowsMax`, and fewer if their payloads exceed `BYTES_MAX`, but at least one if any
 * follows. A damaged payload does no harm; `decodeEntry` reports it.
 */
export function readLogPage(sql: Sql, after: number, rowsMax: number): LogRowPage {
  const range = { from: after + 1, to: Infinity };
  const sizes = numbersIn(sql, "octet_length(payload)", { range, limit: rowsMax + 1 });
  const count = Math.min(
    rowsMax,
    countWithin(sizes, BYTES_MAX, (size) => size),
  );
  const rows = entriesIn<LogSqlRow>(sql, { columns: COLUMNS, range, limit: count }).map(toLogRow);
  const { accounts, assets } = idsOf(rows);
  return { rows, ...readNameMaps(sql, accounts, assets), isLast: sizes.length <= count };
}

/**
 * Decodes the rows of pages, and prefetches the items of each page. `entry` returns the entry of a row and throws as `decodeEntry` does, so
 * that all rows before a damaged one are still replayed. After each page, the rows that wait in the batch are written to free memory; the
 * caller runs the whole loop in one transaction.
 */
export function* decodeAhead(
  pages: Iterable<LogRowPage>,
  batch: Pick<WriteBatch, "prefetch" | "flush" | "trim">,
): Generator<{ row: StoredLogRow; entry: () => DecodedEntry }> {
  for (const page of pages) {
    const entries: DecodedEntry[] = [];
    try {
      for (const row of page.rows) entries.push(decodeEntry(row, page));
    } catch {
      // The row is decoded again when its turn comes, and throws then.
    }
    batch.prefetch(entriesAhead(() => itemsOfReplayed(entries)));
    for (const [index, row] of page.rows.entries()) {
      yield { row, entry: () => entries[index] ?? decodeEntry(row, page) };
    }
    batch.flush();
    batch.trim();
  }
}

/** Decodes a row, with names instead of integers. Throws an error of no fixed kind if the row is damaged; callers make it a `ReplayError`. */
export function decodeEntry(row: StoredLogRow, names: NameMaps): DecodedEntry {
  switch (row.type) {
    case LOG_TYPES.NEW_TRANSACTION:
    case LOG_TYPES.REVERTED_TRANSACTION:
      return decodeTransactionEntry(row, names);
    case LOG_TYPES.SET_METADATA:
      return decodedMetadata("SET_METADATA", decodeMetadata(row.payload));
    case LOG_TYPES.DELETE_METADATA:
      return decodedMetadata("DELETE_METADATA", decodeKey(row.payload));
    case LOG_TYPES.INSERTED_SCHEMA: {
      const { schema, trace } = decodeSchemaEntry(row.payload);
      return { type: "INSERTED_SCHEMA", schema, schemaVersion: trace.schemaVersion };
    }
    default:
      throw new Error(`it is of the unknown type ${row.type}`);
  }
}

const decodedMetadata = <T extends string, E>(
  type: T,
  { entry, trace: { schemaVersion } }: { entry: E; trace: SchemaTrace },
) => ({ type, ...entry, schemaVersion });

function decodeTransactionEntry(row: StoredLogRow, names: NameMaps): DecodedEntry {
  const payload = decodeTransaction(row.payload);
  const { timestamp, metadata, reverts, reference, template, accountMetadata, schemaVersion } =
    payload;
  const transaction = {
    id: row.tx ?? 0,
    postings: payload.postings.map((posting): Posting => ({
      source: nameOf(names.accounts, posting.source) as Account, // logged names were checked
      destination: nameOf(names.accounts, posting.destination) as Account, // logged names were checked
      asset: nameOf(names.assets, posting.asset) as Asset, // logged names were checked
      amount: posting.amount,
    })),
    metadata: metadata ?? {},
    timestamp: timestamp ?? row.date,
  };
  if (row.type === LOG_TYPES.NEW_TRANSACTION) {
    return {
      type: "NEW_TRANSACTION",
      transaction: { ...transaction, reference, template },
      accountMetadata: accountMetadata ?? {},
      schemaVersion,
    };
  }
  if (reverts === undefined) throw new Error("it does not say which transaction it reverts");
  return { type: "REVERTED_TRANSACTION", transaction, reverts, schemaVersion };
}

function nameOf(names: ReadonlyMap<number, string>, id: number): string {
  const name = names.get(id);
  if (name === undefined) throw new Error(`it names ${id}, which has no name`);
  return name;
}

/** The accounts and assets in the payloads of rows. Damaged payloads are skipped; replaying them reports the error. */
function idsOf(rows: readonly StoredLogRow[]): { accounts: Set<number>; assets: Set<number> } {
  const accounts = new Set<number>();
  const assets = new Set<number>();
  for (const { type, payload } of rows) {
    if (type !== LOG_TYPES.NEW_TRANSACTION && type !== LOG_TYPES.REVERTED_TRANSACTION) continue;
    for (const { source, destination, asset } of postingsOf(payload)) {
      accounts.add(source).add(destination);
      assets.add(asset);
    }
  }
  return { accounts, assets };
}

function postingsOf(payload: string) {
  try {
    return decodePostingsOf(payload);
  } catch {
    return []; // `decodeEntry` reports the error
  }
}

type LogSqlRow = Omit<StoredLogRow, "date" | "hasChecksum"> & { date: number; checksum: number };

const toLogRow = (row: LogSqlRow): StoredLogRow => ({
  id: row.id,
  date: fromMicros(row.date),
  type: row.type,
  tx: row.tx,
  payload: row.payload,
  hash: row.hash,
  key: row.key,
  keyHash: row.keyHash,
  hasChecksum: row.checksum === 1,
});

const COLUMNS = `, date, type, payload, iif(hash IS NULL, NULL, lower(hex(hash))) AS hash, key,
  iif(key_hash IS NULL, NULL, lower(hex(key_hash))) AS keyHash, checksum IS NOT NULL AS checksum`;
