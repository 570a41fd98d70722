import type { LogRef } from "./log/log-tables.ts";
import type { Features, Metadata, MetadataTarget } from "#ledger-engine/rules/types.ts";
import { insertionInto, insertRows, type WriteRows } from "#ledger-engine/storage/insertion.ts";
import { sha256 } from "#ledger-engine/storage/log/text-digest.ts";
import { FifoCache } from "#platform/memo.ts";
import type { Sql } from "#platform/sql/sql.ts";

/**
 * The kinds of rows in the table `metadata_index`: a target has a pair of metadata now, or had the pair in the past. Past
 * pairs are stored only if the ledger keeps the history of this kind of metadata.
 */
export const METADATA_SCOPES = {
  TRANSACTION: 0,
  TRANSACTION_PAST: 1,
  ACCOUNT: 2,
  ACCOUNT_PAST: 3,
} as const;

/** The kinds of targets in the table `metadata_log`. */
export const METADATA_LOG_KINDS = { TRANSACTION: 0, ACCOUNT: 1 } as const;

/** The hexadecimal digits of 48 bits. */
const HASH_DIGITS = 12;

/** The hashes of the latest short texts, because keys and many values recur. */
const HASHES = new FifoCache<number>({ sizeMax: 4000, keyLengthMax: 100 });

/** The first 48 bits of SHA-256 of a metadata key or value, as the table `metadata_index` has it. */
export function metadataHash(text: string): number {
  const known = HASHES.get(text);
  if (known !== undefined) return known;
  const hash = Number.parseInt(sha256(text, "hex").slice(0, HASH_DIGITS), 16);
  HASHES.set(text, hash);
  return hash;
}

/** A row of `metadata_index`. */
type IndexRow = readonly [scope: number, key: number, value: number, target: number];

const PAIRS = insertionInto(
  "metadata_index",
  { scope: "?", key: "?", value: "?", target: "?" },
  " ON CONFLICT DO NOTHING",
);
const DELETE_PAIRS = `DELETE FROM metadata_index WHERE (scope, key, value, target) IN
  (SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?))`;
const INSERT_ENTRIES = `INSERT OR IGNORE INTO metadata_log (kind, target, log, tx)
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?)`;

/** Whether a ledger keeps the history of the metadata of a type of targets. */
export const keepsHistory = (features: Features, type: MetadataTarget["type"]): boolean =>
  (type === "ACCOUNT"
    ? features.ACCOUNT_METADATA_HISTORY
    : features.TRANSACTION_METADATA_HISTORY) === "SYNC";

/** The metadata of a target before and after a change. `before` is undefined if the target never had metadata. */
export interface MetadataChange {
  readonly type: MetadataTarget["type"];
  /** The id of the transaction or account. */
  readonly target: number;
  readonly before: Metadata | undefined;
  readonly after: Metadata;
}

/**
 * Collects the changes of a unit of work to `metadata_index` and `metadata_log`. For each pair, the last change counts.
 */
export class MetadataBatch {
  readonly #keeps: Readonly<Record<MetadataTarget["type"], boolean>>;
  /** The rows of `metadata_index` to insert (`isThere`) or to delete, by the row as text. */
  readonly #pairs = new Map<string, { readonly row: IndexRow; readonly isThere: boolean }>();
  readonly #entries = new Set<string>();

  constructor(features: Features) {
    this.#keeps = {
      ACCOUNT: keepsHistory(features, "ACCOUNT"),
      TRANSACTION: keepsHistory(features, "TRANSACTION"),
    };
  }

  /** The number of rows that wait to be written. */
  get size(): number {
    return this.#pairs.size + this.#entries.size;
  }

  change({ type, target, before, after }: MetadataChange): void {
    for (const [key, value] of before === undefined ? [] : Object.entries(before)) {
      if (isPairOf(after, key, value)) continue;
      const pair = [metadataHash(key), metadataHash(value), target] as const;
      this.#note([METADATA_SCOPES[type], ...pair], false);
      if (this.#keeps[type]) this.#note([METADATA_SCOPES[`${type}_PAST`], ...pair], true);
    }
    for (const [key, value] of Object.entries(after)) {
      if (before !== undefined && isPairOf(before, key, value)) continue;
      const pair = [metadataHash(key), metadataHash(value), target] as const;
      this.#note([METADATA_SCOPES[type], ...pair], true);
      // A target that never had metadata has no past pairs.
      if (this.#keeps[type] && before !== undefined) {
        this.#note([METADATA_SCOPES[`${type}_PAST`], ...pair], false);
      }
    }
  }

  /** Notes that a log entry is about the metadata of a target. The reference names the transaction that the entry made, if any. */
  note(type: MetadataTarget["type"], target: number, { id, tx }: LogRef): void {
    if (this.#keeps[type]) this.#entries.add(`[${METADATA_LOG_KINDS[type]},${target},${id},${tx}]`);
  }

  flush(sql: Sql, write: WriteRows): void {
    const gone: string[] = [];
    const there: number[] = [];
    for (const [text, { row, isThere }] of this.#pairs) {
      if (isThere) there.push(...row);
      else gone.push(`[${text}]`);
    }
    write(DELETE_PAIRS, gone);
    insertRows(sql, PAIRS, there);
    write(INSERT_ENTRIES, [...this.#entries]);
    this.clear();
  }

  /** Forgets the rows that wait to be written. */
  clear(): void {
    this.#pairs.clear();
    this.#entries.clear();
  }

  #note(row: IndexRow, isThere: boolean): void {
    const [scope, key, value, target] = row;
    this.#pairs.set(`${scope},${key},${value},${target}`, { row, isThere });
  }
}

const isPairOf = (metadata: Metadata, key: string, value: string): boolean =>
  Object.hasOwn(metadata, key) && metadata[key] === value;
