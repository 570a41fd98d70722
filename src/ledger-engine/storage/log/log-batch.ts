import { checksumHex } from "./log-checksum.ts";
import { assert } from "#platform/assert.ts";
import { quoteJson } from "#platform/json.ts";
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

/** Log entries that wait to be written, as JSON. Those that made a transaction are rows of `tx`, the others of `entry`. */
export class LogBatch {
  #entryRows: string[] = [];
  #txRows: string[] = [];
  /** Whether some waiting transaction has one of the columns that most transactions lack. */
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
    const content = `${toMicros(date)},${quoteJson(payload)},${orNull(hash)}`;
    if (tx === undefined) {
      const extras = `${orNull(key)},${orNull(keyHash)},${checksum ?? "null"}`;
      this.#entryRows.push(`[${id},${type},${content},${extras}]`);
      return;
    }
    assert(tx === this.#staged?.id, "the entry's transaction was added just before");
    const { timestamp, reference } = this.#staged;
    this.#staged = undefined;
    const place = placeOf(id - tx, type);
    const seal = sealOf(checksum, keyHash);
    const hasExtras = [key, seal, timestamp, reference].some((value) => value !== undefined);
    if (!hasExtras) {
      this.#txRows.push(`[${tx},${place},${content}]`);
      return;
    }
    this.#hasExtras = true;
    const extras = `${orNull(key)},${orNull(seal)},${microsOrNull(timestamp)},${orNull(reference)}`;
    this.#txRows.push(`[${tx},${place},${content},${extras}]`);
  }

  flush(write: (statement: string, rows: readonly string[]) => void): void {
    write(INSERT_ENTRIES, this.#entryRows);
    write(this.#hasExtras ? INSERT_TXS_WITH_EXTRAS : INSERT_TXS, this.#txRows);
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
/** Most transactions lack the last four columns, so that the first statement does not look for them. */
const INSERT_TXS = `INSERT INTO tx (id, place, date, payload, hash)
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, unhex(value ->> 4) FROM json_each(?)`;
const INSERT_TXS_WITH_EXTRAS = `INSERT INTO tx (id, place, date, payload, hash, key, seal, timestamp, reference)
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, unhex(value ->> 4), value ->> 5, unhex(value ->> 6), value ->> 7, value ->> 8 FROM json_each(?)`;

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
