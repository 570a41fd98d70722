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

/** How an entry is appended to the log. */
export interface AppendOptions {
  readonly now: Timestamp;
  /** The idempotency key, empty where there is none. */
  readonly key: string;
  readonly keyHash: string | undefined;
  /**
   * For an entry that is replayed, whether it had a checksum. It must have one behind a gap between ids, and with a key if
   * it made a transaction: the hash of its inputs, which a repeated write needs, could be lost with the checksum.
   */
  readonly hasChecksum?: boolean;
  /** For an imported entry, its hash in base64. It is checked where logs are chained. */
  readonly expectedHash?: string;
  /** For an entry that is replayed, its hash in hex, which counts where nobody knows what it covers. */
  readonly storedHash?: string | undefined;
  /** Kept outside of the entry, and so of its hash. */
  readonly author?: Author | undefined;
  /** The same. */
  readonly causationDepth?: number | undefined;
}

/** The end of the log, which the next entry is chained to. The id of an empty log is -1. */
export interface LogHead {
  readonly logId: number;
  readonly date: Timestamp;
  readonly hash: EntryHash | undefined;
}

/** The hash of an entry, as it is stored and as entries are written out. */
interface EntryHash {
  readonly hex: string;
  readonly base64: string;
}

/** Writes the log: each entry, with its hash and checksum, comes after the one before. */
export class LogWriter {
  readonly #batch: WriteBatch;
  readonly #isChained: boolean;
  #head: LogHead;

  /** `isChained` says whether each entry has a hash over itself and the one before it. */
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

  /** Chains the next entry to this hash, in hex. */
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

  /** The hash in base64 that the next entry has with this memento; undefined where logs are not chained. */
  nextHash(memento: string): string | undefined {
    return this.#isChained ? this.#chainHash(memento)?.base64 : undefined;
  }

  /**
   * Whether ids are left out before an entry. Where none are, its id follows from the entry before it; otherwise only a
   * checksum tells whether the id is the one that the entry was given. Without a chain, all entries have checksums.
   */
  #isBehindGap(id: number): boolean {
    return this.#isChained && id !== Math.max(this.#head.logId, 0) + 1;
  }

  /**
   * Whether everything in a row but its id can be derived from what the hash chain covers. For an entry without a
   * transaction, nothing in the chain tells its place.
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

/** A hash that is given in hex; undefined for an empty text, which stands for none. */
function hashOf(hex: string): EntryHash | undefined {
  if (hex === "") return undefined;
  // A damaged ledger may have a hash of another length.
  if (hex.length !== 2 * HASH_BYTES)
    return { hex, base64: Buffer.from(hex, "hex").toString("base64") };
  SCRATCH.write(hex, "hex");
  return { hex, base64: SCRATCH.toString("base64") };
}

/** The hash that a schema was imported with, where nobody knows what it covers. */
function givenHash(data: LogData, options: AppendOptions): EntryHash | undefined {
  if (data.type !== "INSERTED_SCHEMA" || data.schema.hashed !== "unknown") return undefined;
  const { expectedHash, storedHash } = options;
  return expectedHash === undefined
    ? hashOf(storedHash ?? "")
    : hashOf(Buffer.from(expectedHash, "base64").toString("hex"));
}

const HASH_BYTES = 32;
/** Where hashes change their form. A buffer for each would take twice the time. */
const SCRATCH = Buffer.alloc(HASH_BYTES);

/** Throws `IMPORT` where the hash that an imported entry comes to, with all before it, differs from its own. */
function assertHash(id: number, hash: EntryHash | undefined, expected: string | undefined): void {
  if (hash === undefined || expected === undefined || hash.base64 === expected) return;
  const got = expected.slice(0, HASH_SHOWN_MAX).toWellFormed();
  throw new AppError("IMPORT", `invalid hash, expected ${hash.base64} got ${got} for log ${id}`);
}

const HASH_SHOWN_MAX = 100;

/** The transaction that an entry created. */
export const transactionOf = (data: LogData): Transaction | undefined =>
  "transaction" in data ? data.transaction : undefined;
