import type { PendingEntry } from "./pending-entry.ts";
import { toMemento } from "#ledger-engine/rules/log/memento.ts";
import type { LogData, Transaction } from "#ledger-engine/rules/types.ts";
import type { Author } from "#ledger-engine/rules/writes.ts";
import { logChecksum } from "#ledger-engine/storage/log/log-checksum.ts";
import { readHead } from "#ledger-engine/storage/log/log-tables.ts";
import { sha256 } from "#ledger-engine/storage/log/text-digest.ts";
import { LOG_TYPES } from "#ledger-engine/storage/payload.ts";
import type { WriteBatch } from "#ledger-engine/storage/write-batch.ts";
import { assert } from "#platform/assert.ts";
import { AppError } from "#platform/errors.ts";
import type { Sql } from "#platform/sql/sql.ts";
import { fromMicros, type Timestamp } from "#platform/time.ts";

/** The properties of an appended entry besides its content. */
export interface AppendOptions {
  readonly now: Timestamp;
  /** The idempotency key, empty if there is none. */
  readonly key: string;
  readonly keyHash: string | undefined;
  /**
   * For a replayed entry, whether it had a checksum. An entry after a gap between ids gets a checksum in any case, and so does
   * an entry of a transaction with a key: a row that lost its checksum together with the hash of its inputs would go unnoticed.
   */
  readonly hasChecksum?: boolean;
  /** For an imported entry, its hash in base64, which is checked if logs are chained. */
  readonly expectedHash?: string;
  /** For a replayed entry, its hash in hex. It is taken over for an imported schema whose hashed text is unknown. */
  readonly storedHash?: string | undefined;
  /** Stored beside the entry, so that the hash does not cover it. */
  readonly author?: Author | undefined;
  /** Stored beside the entry, so that the hash does not cover it. See `Causation`. */
  readonly causationDepth?: number | undefined;
}

/** The last entry of the log, to which the next entry is chained. The id is -1 if the log is empty. */
export interface LogHead {
  readonly logId: number;
  readonly date: Timestamp;
  readonly hash: EntryHash | undefined;
}

/** The hash of an entry, in the form of the stored row and in the form of exports. */
interface EntryHash {
  readonly hex: string;
  readonly base64: string;
}

/**
 * Writes the log: each entry with its hash and checksum. Hashes form a chain (linked time-stamping of Haber and Stornetta, 1991), so that
 * a change of an entry, or its removal, shows in all hashes after it:
 *
 *     memento 1           memento 2           memento 3
 *         │                   │                   │
 *         ▼                   ▼                   ▼
 *      SHA-256 ── hash 1 ─► SHA-256 ── hash 2 ─► SHA-256 ── hash 3 ─►
 *
 *     hash 1 = SHA-256(memento 1, line feed)
 *     hash n = SHA-256("hash n−1 in base64, in quotes", line feed, memento n, line feed)
 *
 * The memento does not contain everything in a row: the entry's id, the hash of its inputs, the schema's version and the template are
 * missing. An entry whose row cannot be derived from its memento has a checksum over these parts.
 */
export class LogWriter {
  readonly #batch: WriteBatch;
  readonly #isChained: boolean;
  #head: LogHead;

  /** `isChained` says whether entries have hashes. */
  constructor(sql: Sql, batch: WriteBatch, { isChained }: { isChained: boolean }) {
    this.#batch = batch;
    this.#isChained = isChained;
    this.#head = headOf(sql);
  }

  get head(): LogHead {
    return this.#head;
  }

  /** Returns to an earlier head of the log after a rollback. */
  reset(head: LogHead): void {
    this.#head = head;
  }

  /** Chains the next entry to a hash in hex instead of the hash of the last entry; null for no hash. */
  chainTo(hash: string | null): void {
    const { hash: known } = this.#head;
    if (hash !== (known?.hex ?? null)) this.#head = { ...this.#head, hash: hashOf(hash ?? "") };
  }

  append(id: number, pending: PendingEntry, options: AppendOptions): void {
    const { now, key, keyHash } = options;
    const { data, schemaVersion } = pending;
    assert(id > this.#head.logId, "ids of log entries strictly increase");
    const transaction = transactionOf(data);
    const [tx, template] = [transaction?.id, transaction?.template];
    const isCovered = this.#isCovered({ tx, keyHash, schemaVersion, template });
    const mustBeSummed = (tx !== undefined && key !== "") || this.#isBehindGap(id);
    const isSummed = mustBeSummed || (options.hasChecksum ?? !isCovered);
    const memento =
      this.#isChained || isSummed ? toMemento({ data, date: now, idempotencyKey: key }) : undefined;
    const given = this.#isChained ? givenHash(data, options) : undefined;
    const hash =
      this.#isChained && memento !== undefined ? (given ?? this.#chainHash(memento)) : undefined;
    assertHash(id, hash, options.expectedHash);
    const payload = pending.project(id);
    const checksum =
      isSummed && memento !== undefined
        ? logChecksum({
            id,
            tx,
            keyHash,
            memento: isCovered ? "" : `${memento}${given?.hex ?? ""}`,
            schemaVersion,
            template,
          })
        : undefined;
    this.#batch.addLog({
      id,
      date: now,
      type: LOG_TYPES[data.type],
      tx,
      payload,
      hash: hash?.hex,
      key: key === "" ? undefined : key,
      keyHash,
      checksum,
    });
    this.#head = { logId: id, date: now, hash };
  }

  /** The hash in base64 that the next entry has with a memento; undefined if logs are not chained. */
  nextHash(memento: string): string | undefined {
    return this.#isChained ? this.#chainHash(memento)?.base64 : undefined;
  }

  /**
   * Whether ids are left out before an entry, so that only a checksum covers its id. Without a gap, the id follows from the
   * entry before. Without a chain, all entries have checksums.
   */
  #isBehindGap(id: number): boolean {
    return this.#isChained && id !== Math.max(this.#head.logId, 0) + 1;
  }

  /**
   * Whether everything in a row but its id can be derived from its memento, which the hash chain covers. An entry without a
   * transaction is not covered, because its memento does not contain its place in the log.
   */
  #isCovered({ tx, keyHash, schemaVersion, template }: Uncovered): boolean {
    const hasMore = keyHash !== undefined || schemaVersion !== undefined || template !== undefined;
    return this.#isChained && tx !== undefined && !hasMore;
  }

  #chainHash(memento: string): EntryHash | undefined {
    const previous = this.#head.hash;
    const before = previous === undefined ? "" : `"${previous.base64}"\n`;
    return hashOf(sha256(`${before}${memento}\n`, "hex"));
  }
}

/** The parts of an entry that the hash chain does not cover. */
interface Uncovered {
  readonly tx: number | undefined;
  readonly keyHash: string | undefined;
  readonly schemaVersion: string | undefined;
  readonly template: string | undefined;
}

function headOf(sql: Sql): LogHead {
  const row = readHead(sql);
  if (row === undefined) return { logId: -1, date: fromMicros(0n), hash: undefined };
  return { logId: row.id, date: fromMicros(row.date), hash: hashOf(row.hash.toLowerCase()) };
}

/** Both forms of a hash in hex; undefined for an empty text, which stands for no hash. */
function hashOf(hex: string): EntryHash | undefined {
  if (hex === "") return undefined;
  // A damaged ledger may have a hash of another length.
  if (hex.length !== 2 * HASH_BYTES)
    return { hex, base64: Buffer.from(hex, "hex").toString("base64") };
  SCRATCH.write(hex, "hex");
  return { hex, base64: SCRATCH.toString("base64") };
}

/** The hash that a schema was imported with, if the text that it covers is unknown. */
function givenHash(data: LogData, options: AppendOptions): EntryHash | undefined {
  if (data.type !== "INSERTED_SCHEMA" || data.schema.hashed !== "unknown") return undefined;
  const { expectedHash, storedHash } = options;
  return expectedHash === undefined
    ? hashOf(storedHash ?? "")
    : hashOf(Buffer.from(expectedHash, "base64").toString("hex"));
}

const HASH_BYTES = 32;
/** Converts hashes from hex to base64. A new buffer for each hash would take twice the time. */
const SCRATCH = Buffer.alloc(HASH_BYTES);

/** Throws `IMPORT` if the hash that the chain gives an imported entry differs from the exported hash. */
function assertHash(id: number, hash: EntryHash | undefined, expected: string | undefined): void {
  if (hash === undefined || expected === undefined || hash.base64 === expected) return;
  const got = expected.slice(0, HASH_SHOWN_MAX).toWellFormed();
  throw new AppError("IMPORT", `invalid hash, expected ${hash.base64} got ${got} for log ${id}`);
}

const HASH_SHOWN_MAX = 100;

/** The transaction that an entry created; undefined if it created none. */
export const transactionOf = (data: LogData): Transaction | undefined =>
  "transaction" in data ? data.transaction : undefined;
