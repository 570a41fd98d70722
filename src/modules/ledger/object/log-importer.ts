import { createHash } from "node:crypto";
import { AppError, type Failure } from "../../../platform/errors.ts";
import { parseJson } from "../../../platform/json.ts";
import { attempt } from "../../../platform/result.ts";
import { type Clock, fromMicros, type Timestamp, toMicros } from "../../../platform/time.ts";
import { toDerivedText } from "../core/idempotency.ts";
import { contentDifferenceOf, differenceOf, isReverse } from "../core/imported-differences.ts";
import {
  type ImportedEntry,
  type ImportedTransaction,
  toImportedEntry,
} from "../core/imported-log.ts";
import { assertEventSize, assertRevertSize, BULK_STEPS_MAX } from "../core/limits.ts";
import { runPostings } from "../core/postings.ts";
import type { LogData, Transaction } from "../core/types.ts";
import type { Draft, Drafts } from "./drafts.ts";
import type { LogReader } from "./log-reader.ts";
import type { Sql } from "./sql.ts";
import type { StoredTransaction, TransactionReader } from "./transaction-reader.ts";
import type { WriteBatch } from "./write-batch.ts";

/** Some of the entries of an import, as JSON texts. */
export interface ImportBatch {
  readonly texts: readonly string[];
  /** How many entries of the import come before them. */
  readonly before: number;
}

/** How many of the first entries were taken. What is neither taken nor refused is for the next call. */
export interface ImportOutcome {
  readonly taken: number;
  /** Why the entry behind them was refused. */
  readonly failure?: Failure;
}

/** How an entry is written at the end of the log. */
export interface ImportedAppend {
  readonly now: Timestamp;
  readonly key: string;
  readonly keyHash: string | undefined;
  /** In base64: a log that is chained must come to the same hash. */
  readonly expectedHash: string;
}

export interface ImporterDependencies {
  readonly sql: Sql;
  readonly batch: WriteBatch;
  readonly drafts: Drafts;
  readonly transactions: TransactionReader;
  readonly logs: LogReader;
  /** The last entry of the log, its id -1 for none. */
  readonly head: () => { readonly logId: number; readonly date: Timestamp };
  /** Writes an entry. Throws `IMPORT` for another hash, before anything is written. */
  readonly append: (id: number, draft: Draft, options: ImportedAppend) => void;
  /** Work so far. */
  readonly steps: () => number;
  readonly clock: Clock;
}

/**
 * Takes the entries of another ledger's log, each after the checks of everything that it says: nothing of an entry that is
 * refused is kept, nor of those behind it. A ledger takes them as long as it has no entries of its own.
 */
export class LogImporter {
  readonly #sql: Sql;
  readonly #batch: WriteBatch;
  readonly #drafts: Drafts;
  readonly #transactions: TransactionReader;
  readonly #logs: LogReader;
  readonly #head: ImporterDependencies["head"];
  readonly #append: ImporterDependencies["append"];
  readonly #steps: ImporterDependencies["steps"];
  readonly #clock: Clock;
  #lastTransaction = -1;

  constructor(dependencies: ImporterDependencies) {
    this.#sql = dependencies.sql;
    this.#batch = dependencies.batch;
    this.#drafts = dependencies.drafts;
    this.#transactions = dependencies.transactions;
    this.#logs = dependencies.logs;
    this.#head = dependencies.head;
    this.#append = dependencies.append;
    this.#steps = dependencies.steps;
    this.#clock = dependencies.clock;
  }

  /** To be called in a unit of work. Takes at least one entry, and not all where they are much work. */
  take({ texts, before }: ImportBatch): ImportOutcome {
    const ready = attempt(() => this.#begin());
    if (!ready.ok) return { taken: 0, failure: ready.failure };
    const stepsMax = this.#steps() + BULK_STEPS_MAX;
    let [taken, failure]: [number, Failure | undefined] = [0, undefined];
    for (const text of texts) {
      const result = attempt(() => this.#takeText(text, before + taken + 1));
      if (!result.ok) {
        failure = result.failure;
        break;
      }
      taken++;
      this.#batch.flushIfLarge();
      if (this.#steps() > stepsMax) break;
    }
    if (taken > 0) this.#noteReached();
    return { taken, ...(failure === undefined ? {} : { failure }) };
  }

  #begin(): void {
    const [row] = this.#sql.all<{ imported: number | null; tx: number | null }>(
      "SELECT imported_log AS imported, (SELECT max(id) FROM tx) AS tx FROM ledger",
    );
    const { logId } = this.#head();
    if (logId !== -1 && row?.imported !== logId)
      throw refused("ledger is not in initializing state");
    this.#lastTransaction = row?.tx ?? -1;
  }

  /** What is imported is not announced: its events count as taken over. */
  #noteReached(): void {
    const { logId } = this.#head();
    this.#sql.all("UPDATE ledger SET imported_log = ?1, published_log = ?1", logId);
  }

  /** The entry of this number, counted from 1: in an export, its line. */
  #takeText(text: string, number: number): void {
    const entry = parseEntry(text, number);
    this.#assertNext(entry);
    try {
      this.#assertDate(entry.date);
      this.#assertKeyUnused(entry.idempotencyKey);
      const draft = this.#draftOf(entry);
      this.#append(entry.id, draft, {
        now: entry.date,
        key: entry.idempotencyKey,
        keyHash: keyHashOf(entry, draft.data),
        expectedHash: entry.hash,
      });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      throw refused(`importing log ${entry.id}: ${error.message}`, {
        cause: error,
        details: `entry ${number} of the body`,
      });
    }
  }

  #assertNext({ id }: ImportedEntry): void {
    const { logId } = this.#head();
    if (id > logId) return;
    this.#batch.flush();
    const isThere = this.#sql.all("SELECT 1 FROM log WHERE id = ?", id).length > 0;
    throw refused(
      isThere
        ? `log ${id} already exists`
        : `log ${id} comes after log ${logId}: ids must increase`,
    );
  }

  #assertDate(date: Timestamp): void {
    if (date < DATE_MIN || date > DATE_MAX) throw invalid("its date is not between 1970 and 2255");
    // All that is written later would have this date, until it has come.
    if (toMicros(date) > toMicros(this.#clock()) + AHEAD_MICROS_MAX) {
      throw invalid("its date is more than a day ahead of the clock of this server");
    }
    const { logId, date: last } = this.#head();
    if (date < last)
      throw invalid(`its date is before that of log ${logId}: logs are out of order`);
  }

  #assertKeyUnused(key: string): void {
    if (key === "") return;
    if (this.#batch.hasPendingKey(key) || this.#logs.findByKey(key) !== undefined) {
      throw invalid(`the idempotency key '${key}' is that of an earlier log`);
    }
  }

  #draftOf({ data, date }: ImportedEntry): Draft {
    switch (data.type) {
      case "NEW_TRANSACTION":
        return this.#newTransaction(data, date);
      case "REVERTED_TRANSACTION":
        return this.#revert(data, date);
      case "SET_METADATA":
        return this.#drafts.setMetadata(data.target, data.metadata, date);
      case "DELETE_METADATA":
        return this.#drafts.deleteMetadata(data.target, data.key, date);
    }
  }

  #newTransaction(
    { transaction, accountMetadata }: ImportedOf<"NEW_TRANSACTION">,
    date: Timestamp,
  ): Draft {
    const { reference, postings, metadata } = transaction;
    this.#takeTransactionId(transaction.id);
    if (reference !== undefined && this.#batch.hasReference(reference)) {
      throw invalid(`the reference '${reference}' is that of an earlier transaction`);
    }
    const moves = runPostings(postings, this.#batch, { force: true });
    assertEventSize({ postings, metadata, volumes: moves }, accountMetadata);
    this.#batch.assertRoomFor(moves.map(({ asset }) => asset));
    this.#drafts.assertAccountMetadata(accountMetadata);
    const draft = this.#drafts.newTransaction({ ...transaction, accountMetadata }, moves, date);
    assertSame(transaction, draft);
    return draft;
  }

  #revert(
    { transaction, reverts, reverted: given }: ImportedOf<"REVERTED_TRANSACTION">,
    date: Timestamp,
  ): Draft {
    const { postings, metadata, reference } = transaction;
    this.#takeTransactionId(transaction.id);
    if (reference !== undefined) throw invalid("a revert has no reference");
    const original = this.#drafts.storedTransaction(reverts);
    if (original.revertedAt !== undefined) {
      throw invalid(`transaction ${reverts} was reverted before`);
    }
    const reverted = this.#drafts.revertedForm(original, date);
    if (!isReverse(postings, reverted.postings)) {
      throw invalid(`its postings do not undo transaction ${reverts}`);
    }
    if (given !== undefined) this.#assertReverted(given, reverted, original);
    const moves = runPostings(postings, this.#batch, { force: true });
    assertRevertSize({ postings, metadata, volumes: moves }, { ...reverted, volumes: moves });
    const draft = this.#drafts.revertingTransaction(
      { ...transaction, original, reverted },
      moves,
      date,
    );
    assertSame(transaction, draft);
    return draft;
  }

  #assertReverted(
    given: ImportedTransaction,
    reverted: Transaction,
    original: StoredTransaction,
  ): void {
    const names = this.#transactions.namesOf([original.payload]);
    const volumes =
      this.#transactions.readVolumes([original], names).get(original.id)?.volumes ?? [];
    const difference = contentDifferenceOf(given, { ...reverted, volumes });
    if (difference === undefined) return;
    throw invalid(
      `the reverted transaction ${original.id} is not the one that is here: ${difference}`,
    );
  }

  /** The ids of transactions increase with those of the log, as everything here does. */
  #takeTransactionId(id: number): void {
    if (id <= this.#lastTransaction) {
      throw invalid(
        `transaction ${id} comes after transaction ${this.#lastTransaction}: ids must increase`,
      );
    }
    this.#lastTransaction = id;
  }
}

/** Log dates are read as numbers. */
const DATE_MIN = fromMicros(0n);
/** How far the clocks of two servers may be apart, in microseconds: a day. */
const AHEAD_MICROS_MAX = 86_400_000_000n;
const DATE_MAX = fromMicros(BigInt(Number.MAX_SAFE_INTEGER));

type ImportedOf<T extends ImportedEntry["data"]["type"]> = Extract<
  ImportedEntry["data"],
  { type: T }
>;

function parseEntry(text: string, number: number): ImportedEntry {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    throw new AppError("VALIDATION", `entry ${number} is not valid JSON`, {
      cause: error,
      details: error instanceof Error ? error.message : "",
    });
  }
  try {
    return toImportedEntry(value);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw refused(`entry ${number} is not a log entry`, { cause: error, details: error.message });
  }
}

function assertSame(given: ImportedTransaction, { transaction }: Draft): void {
  const difference = transaction && differenceOf(given, transaction);
  if (difference !== undefined) throw invalid(`transaction ${given.id}: ${difference}`);
}

/** The hash of the inputs as it is stored, in hex: undefined where the entry itself tells it, or nothing does. */
function keyHashOf(entry: ImportedEntry, data: LogData): string | undefined {
  const { idempotencyHash: given, idempotencyKey, date } = entry;
  if (given === undefined) return undefined;
  if (given === "") return "";
  if (!BASE64_OF_32_BYTES.test(given)) throw invalid("'idempotencyHash' is not base64 of 32 bytes");
  const hash = Buffer.from(given, "base64url").toString("hex");
  if (idempotencyKey !== "") return hash;
  const derived = createHash("sha256").update(toDerivedText({ data, date })).digest("hex");
  return hash === derived ? undefined : hash;
}

const BASE64_OF_32_BYTES = /^[A-Za-z0-9+/_-]{43}=?$/;

const refused = (message: string, options?: { cause?: unknown; details?: string }): AppError =>
  new AppError("IMPORT", `importing logs: ${message}`, options);

/** What the caller completes with the log that it is about. */
const invalid = (message: string): AppError => new AppError("IMPORT", message);
