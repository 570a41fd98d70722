import { checksumHex } from "./log-checksum.ts";
import { insertionInto, insertRows } from "#ledger-engine/storage/insertion.ts";
import { assert } from "#platform/assert.ts";
import { quoteJson } from "#platform/json.ts";
import { isSafe, type Sql, type SqlValue } from "#platform/sql/sql.ts";
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
  readonly checksum: number | undefined;
}

/** What a transaction has besides its log entry. */
export interface TxRow {
  readonly id: number;
  /** The effective date, where it is not the log date. */
  readonly timestamp: Timestamp | undefined;
  readonly reference: string | undefined;
  /** The effective date, whether it is the log date or not. */
  readonly date: Timestamp;
  /** The log date. */
  readonly insertedAt: Timestamp;
}

/** Log entries that wait to be written. Those that made a transaction are rows of `tx`, the others of `entry`. */
export class LogBatch {
  #entryRows: string[] = [];
  /** Rows as JSON, and the values of those without the columns that most transactions lack. */
  #txRows: (string | readonly SqlValue[])[] = [];
  /** Whether some waiting transaction is JSON. */
  #hasExtras = false;
  /** The transaction whose log entry comes next. */
  #staged: TxRow | undefined;

  get isEmpty(): boolean {
    return this.#entryRows.length === 0 && this.#txRows.length === 0;
  }

  /** Takes a transaction, whose log entry must be added next. */
  stage(row: TxRow): void {
    this.#staged = row;
  }

  add({ id, date, type, tx, payload, hash, key, keyHash, checksum }: LogRow): void {
    const micros = toMicros(date);
    const content = (): string => `${micros},${quoteJson(payload)},${orNull(hash)}`;
    if (tx === undefined) {
      const extras = `${orNull(key)},${orNull(keyHash)},${checksum ?? "null"}`;
      this.#entryRows.push(`[${id},${type},${content()},${extras}]`);
      return;
    }
    assert(tx === this.#staged?.id, "the entry's transaction was added just before");
    const { timestamp, reference } = this.#staged;
    this.#staged = undefined;
    const place = placeOf(id - tx, type);
    const seal = sealOf(checksum, keyHash);
    const hasExtras = [key, seal, timestamp, reference].some((value) => value !== undefined);
    if (!hasExtras && typeof place === "number" && isSafe(micros)) {
      this.#txRows.push([tx, place, Number(micros), payload, hash ?? null]);
      return;
    }
    this.#hasExtras = true;
    const extras = `${orNull(key)},${orNull(seal)},${microsOrNull(timestamp)},${orNull(reference)}`;
    this.#txRows.push(`[${tx},${place},${content()},${extras}]`);
  }

  flush(sql: Sql, write: (statement: string, rows: readonly string[]) => void): void {
    write(INSERT_ENTRIES, this.#entryRows);
    // Rows are written in the order of their ids, so that the pages of the table are full: all in one way.
    if (this.#hasExtras) write(INSERT_TXS_WITH_EXTRAS, this.#txRows.map(toJson));
    else insertRows(sql, TXS, this.#txRows.flat());
  }

  clear(): void {
    this.#entryRows = [];
    this.#txRows = [];
    this.#hasExtras = false;
    this.#staged = undefined;
  }
}

const INSERT_ENTRIES = `INSERT INTO entry (id, type, date, payload, hash, key, key_hash, checksum)
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, unhex(value ->> 4), value ->> 5, unhex(value ->> 6), value ->> 7 FROM json_each(?)`;
/** Most transactions lack the other four columns. */
const TXS = insertionInto("tx", {
  id: "?",
  place: "?",
  date: "?",
  payload: "?",
  hash: "unhex(?)",
});
const INSERT_TXS_WITH_EXTRAS = `INSERT INTO tx (id, place, date, payload, hash, key, seal, timestamp, reference)
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, unhex(value ->> 4), value ->> 5, unhex(value ->> 6), value ->> 7, value ->> 8 FROM json_each(?)`;

const toJson = (row: string | readonly SqlValue[]): string =>
  typeof row === "string" ? row : `[${row.map(valueText).join(",")}]`;

const valueText = (value: SqlValue): string =>
  typeof value === "string" ? quoteJson(value) : String(value);

/** The column `place`. In a log that was imported with very large ids, it may be more than a number holds exactly. */
function placeOf(lead: number, type: number): number | bigint {
  const place = 2 * lead + type;
  return Number.isSafeInteger(place) ? place : 2n * BigInt(lead) + BigInt(type);
}

/** The column `seal` in hex. An entry with a hash of its inputs has a checksum, too. */
function sealOf(checksum: number | undefined, keyHash: string | undefined): string | undefined {
  if (checksum === undefined) {
    assert(keyHash === undefined, "a checksum covers the hash of the inputs");
    return undefined;
  }
  return checksumHex(checksum) + (keyHash === undefined ? "" : `00${keyHash}`);
}

const orNull = (text: string | undefined): string =>
  text === undefined ? "null" : quoteJson(text);

export const microsOrNull = (timestamp: Timestamp | undefined): string =>
  timestamp === undefined ? "null" : toMicros(timestamp).toString();
