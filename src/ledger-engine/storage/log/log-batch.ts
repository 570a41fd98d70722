import {
  insertionInto,
  insertRows,
  integerValue,
  type WriteRows,
} from "#ledger-engine/storage/insertion.ts";
import { assert } from "#platform/assert.ts";
import { quoteJson } from "#platform/json.ts";
import type { Sql, SqlValue } from "#platform/sql/sql.ts";
import { type Timestamp, toMicros } from "#platform/time.ts";

/** A log entry, with the transaction that it made, if any. */
export interface LogRow {
  readonly id: number;
  readonly date: Timestamp;
  readonly type: number;
  readonly tx: number | undefined;
  readonly payload: string;
  readonly hash: string | undefined;
  readonly key: string | undefined;
  readonly keyHash: string | undefined;
  /** 48 bits in hex. */
  readonly checksum: string | undefined;
}

/** The fields of a transaction that its log entry does not have. */
export interface TxRow {
  readonly id: number;
  /** The effective date; undefined if it is the log date. */
  readonly timestamp: Timestamp | undefined;
  readonly reference: string | undefined;
  /** The effective date, also if it is the log date. */
  readonly date: Timestamp;
  /** The date of the log entry. */
  readonly insertedAt: Timestamp;
}

/** Log entries that wait to be written: to `tx` if they made a transaction, else to `entry`. */
export class LogBatch {
  #entryRows: string[] = [];
  /** The values of the columns of `TXS`, one row after the other. */
  #txValues: SqlValue[] = [];
  /** The values of the further columns of `TXS_WITH_EXTRAS`, by the index of the row. Few transactions have any. */
  readonly #txExtras = new Map<number, readonly SqlValue[]>();
  /** The transaction whose log entry comes next. */
  #staged: TxRow | undefined;

  /** Takes a transaction, whose log entry must be added next. */
  stage(row: TxRow): void {
    this.#staged = row;
  }

  add(row: LogRow): void {
    const { id, date, type, tx, payload, hash } = row;
    const micros = toMicros(date);
    if (tx === undefined) {
      const { key, keyHash, checksum } = row;
      const content = `${micros},${quoteJson(payload)},${orNull(hash)}`;
      const extras = `${orNull(key)},${orNull(keyHash)},${checksum === undefined ? "null" : Number.parseInt(checksum, 16)}`;
      this.#entryRows.push(`[${id},${type},${content},${extras}]`);
      return;
    }
    const staged = this.#staged;
    assert(tx === staged?.id, "the entry's transaction was added just before");
    this.#staged = undefined;
    const extras = extrasOf(row, staged);
    if (extras !== undefined) this.#txExtras.set(this.#txValues.length / TXS.width, extras);
    this.#txValues.push(tx, placeOf(id - tx, type), integerValue(micros), payload, hash ?? null);
  }

  flush(sql: Sql, write: WriteRows): void {
    write(INSERT_ENTRIES, this.#entryRows);
    // All rows go through one statement, in the order of their ids, so that the pages of the table become full.
    if (this.#txExtras.size === 0) insertRows(sql, TXS, this.#txValues);
    else insertRows(sql, TXS_WITH_EXTRAS, this.#allValues());
  }

  clear(): void {
    this.#entryRows = [];
    this.#txValues = [];
    this.#txExtras.clear();
    this.#staged = undefined;
  }

  #allValues(): SqlValue[] {
    const all: SqlValue[] = [];
    for (let from = 0; from < this.#txValues.length; from += TXS.width) {
      const row = this.#txValues.slice(from, from + TXS.width);
      all.push(...row, ...(this.#txExtras.get(from / TXS.width) ?? NO_EXTRAS));
    }
    return all;
  }
}

const INSERT_ENTRIES = `INSERT INTO entry (id, type, date, payload, hash, key, key_hash, checksum)
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, unhex(value ->> 4), value ->> 5, unhex(value ->> 6), value ->> 7 FROM json_each(?)`;
const TX_COLUMNS = {
  id: "?",
  place: "CAST(? AS INTEGER)",
  date: "CAST(? AS INTEGER)",
  payload: "?",
  hash: "unhex(?)",
} as const;
/** Inserts transactions without values in the further columns of `TXS_WITH_EXTRAS`, as most are. */
const TXS = insertionInto("tx", TX_COLUMNS);
const TXS_WITH_EXTRAS = insertionInto("tx", {
  ...TX_COLUMNS,
  key: "?",
  seal: "unhex(?)",
  timestamp: "CAST(? AS INTEGER)",
  reference: "?",
});
const NO_EXTRAS: readonly SqlValue[] = [null, null, null, null];

/** The values of the further columns of `TXS_WITH_EXTRAS`; undefined if all are null. */
function extrasOf(
  { key, keyHash, checksum }: LogRow,
  { timestamp, reference }: TxRow,
): readonly SqlValue[] | undefined {
  const seal = sealOf(checksum, keyHash);
  const isPlain =
    key === undefined && seal === undefined && timestamp === undefined && reference === undefined;
  if (isPlain) return undefined;
  const micros = timestamp === undefined ? null : integerValue(toMicros(timestamp));
  return [key ?? null, seal ?? null, micros, reference ?? null];
}

/** The value of the column `place`. A log that was imported with very large ids may need more than 53 bits. */
function placeOf(lead: number, type: number): SqlValue {
  const place = 2 * lead + type;
  return Number.isSafeInteger(place) ? place : integerValue(2n * BigInt(lead) + BigInt(type));
}

/** The value of the column `seal` in hex. An entry with a hash of its inputs must have a checksum. */
function sealOf(checksum: string | undefined, keyHash: string | undefined): string | undefined {
  if (checksum === undefined) {
    assert(keyHash === undefined, "a checksum covers the hash of the inputs");
    return undefined;
  }
  return keyHash === undefined ? checksum : `${checksum}00${keyHash}`;
}

const orNull = (text: string | undefined): string =>
  text === undefined ? "null" : quoteJson(text);
