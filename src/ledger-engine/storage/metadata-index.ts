import { hash as digestOf } from "node:crypto";
import type { LogRef } from "./log/log-tables.ts";
import type { Features, Metadata, MetadataTarget } from "#ledger-engine/rules/types.ts";
import { Remembered } from "#platform/memo.ts";

/**
 * The kinds of rows in the table `metadata_index`: a target has a pair of metadata now, or it had it and has it no
 * longer. Past pairs are known where the ledger keeps the history of such metadata.
 */
export const METADATA_SCOPES = {
  TRANSACTION: 0,
  TRANSACTION_PAST: 1,
  ACCOUNT: 2,
  ACCOUNT_PAST: 3,
} as const;

/** The kinds of targets in the table `metadata_log`. */
export const METADATA_LOG_KINDS = { TRANSACTION: 0, ACCOUNT: 1 } as const;

/** The hexadecimal digits of the 48 bits that are kept. */
const HASH_DIGITS = 12;

/** The hashes of the texts that came last, and only of short ones: keys, and many values, are used again. */
const HASHES = new Remembered<number>({ countMax: 4000, lengthMax: 100 });

/** The first 48 bits of SHA-256 of a text. They stand for a metadata key or value in the table `metadata_index`. */
export function metadataHash(text: string): number {
  const known = HASHES.get(text);
  if (known !== undefined) return known;
  const hash = Number.parseInt(digestOf("sha256", text, "hex").slice(0, HASH_DIGITS), 16);
  HASHES.add(text, hash);
  return hash;
}

/** A row of `metadata_index` as JSON, `[scope,key,value,target]`. */
export const indexRow = (scope: number, pair: PairHash, target: number): string =>
  `[${scope},${pair},${target}]`;

/** The hashes of a key and its value, `123,456`. */
export type PairHash = `${number},${number}`;

const pairHash = (key: string, value: string): PairHash =>
  `${metadataHash(key)},${metadataHash(value)}`;

// The rows come from a JSON list.
const INSERT_PAIRS = `INSERT OR IGNORE INTO metadata_index (scope, key, value, target)
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?)`;
const DELETE_PAIRS = `DELETE FROM metadata_index WHERE (scope, key, value, target) IN
  (SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?))`;
const INSERT_ENTRIES = `INSERT OR IGNORE INTO metadata_log (kind, target, log, tx)
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?)`;

/** Whether a ledger keeps the history of the metadata of such targets. */
export const keepsHistory = (features: Features, type: MetadataTarget["type"]): boolean =>
  (type === "ACCOUNT"
    ? features.ACCOUNT_METADATA_HISTORY
    : features.TRANSACTION_METADATA_HISTORY) === "SYNC";

/** The metadata of a target before and after a change. `before` is `undefined` where the target never had any. */
export interface MetadataChange {
  readonly type: MetadataTarget["type"];
  /** The id of the transaction or account. */
  readonly target: number;
  readonly before: Metadata | undefined;
  readonly after: Metadata;
}

/** Runs a statement with rows as its parameter, in several runs where they are too many for one. */
type Write = (statement: string, rows: readonly string[]) => void;

/**
 * Collects the changes of a unit of work to `metadata_index` and `metadata_log`. For each pair, the last change counts.
 */
export class MetadataBatch {
  readonly #keeps: Readonly<Record<MetadataTarget["type"], boolean>>;
  /** For each row of `metadata_index`, whether it exists in the end. */
  readonly #pairs = new Map<string, boolean>();
  readonly #entries = new Set<string>();

  constructor(features: Features) {
    this.#keeps = {
      ACCOUNT: keepsHistory(features, "ACCOUNT"),
      TRANSACTION: keepsHistory(features, "TRANSACTION"),
    };
  }

  /** How many rows wait to be written. */
  get size(): number {
    return this.#pairs.size + this.#entries.size;
  }

  change({ type, target, before, after }: MetadataChange): void {
    for (const [key, value] of Object.entries(before ?? {})) {
      if (isPairOf(after, key, value)) continue;
      const pair = pairHash(key, value);
      this.#pairs.set(indexRow(METADATA_SCOPES[type], pair, target), false);
      if (this.#keeps[type])
        this.#pairs.set(indexRow(METADATA_SCOPES[`${type}_PAST`], pair, target), true);
    }
    for (const [key, value] of Object.entries(after)) {
      if (before !== undefined && isPairOf(before, key, value)) continue;
      const pair = pairHash(key, value);
      this.#pairs.set(indexRow(METADATA_SCOPES[type], pair, target), true);
      // A target that never had metadata has no past pairs.
      if (this.#keeps[type] && before !== undefined) {
        this.#pairs.set(indexRow(METADATA_SCOPES[`${type}_PAST`], pair, target), false);
      }
    }
  }

  /** Notes that a log entry is about the metadata of a target, and which transaction the entry made, if any. */
  note(type: MetadataTarget["type"], target: number, { id, tx }: LogRef): void {
    if (this.#keeps[type]) this.#entries.add(`[${METADATA_LOG_KINDS[type]},${target},${id},${tx}]`);
  }

  flush(write: Write): void {
    const rows = [...this.#pairs];
    write(
      DELETE_PAIRS,
      rows.filter(([, isThere]) => !isThere).map(([row]) => row),
    );
    write(
      INSERT_PAIRS,
      rows.filter(([, isThere]) => isThere).map(([row]) => row),
    );
    write(INSERT_ENTRIES, [...this.#entries]);
    this.clear();
  }

  /** Forgets the rows that wait to be written. */
  clear(): void {
    this.#pairs.clear();
    this.#entries.clear();
  }
}

const isPairOf = (metadata: Metadata, key: string, value: string): boolean =>
  Object.hasOwn(metadata, key) && metadata[key] === value;
