import type { EntryBuilder } from "./entry-builder.ts";
import { asHashed, keyHashOf } from "./imported-hashes.ts";
import {
  assertDerived,
  type ParsedLine,
  parseLine,
  parseWholeLine,
  refused,
} from "./imported-lines.ts";
import { type EntryOptions, type PendingEntry, toTrace, withDefaults } from "./pending-entry.ts";
import { entriesAhead, itemsOfImported } from "./prefetched-items.ts";
import { assertEventSize, assertRevertSize, BULK_STEPS_MAX } from "#ledger-engine/rules/limits.ts";
import {
  FIRST_NOTED_MAX,
  type ImportNote,
  type NotedEntries,
  notesOf,
} from "#ledger-engine/rules/log/import-notes.ts";
import {
  contentDifferenceOf,
  differenceOf,
  isReverse,
} from "#ledger-engine/rules/log/imported-differences.ts";
import type { ImportedEntry, ImportedTransaction } from "#ledger-engine/rules/log/imported-log.ts";
import { runPostings } from "#ledger-engine/rules/postings.ts";
import type { Transaction } from "#ledger-engine/rules/types.ts";
import type { Author } from "#ledger-engine/rules/writes.ts";
import { writeImportNotes } from "#ledger-engine/storage/log/import-notes.ts";
import { findRef } from "#ledger-engine/storage/log/log-tables.ts";
import type { SchemaStore } from "#ledger-engine/storage/schema-store.ts";
import type {
  StoredTransaction,
  TransactionReader,
} from "#ledger-engine/storage/transaction-reader.ts";
import type { WriteBatch } from "#ledger-engine/storage/write-batch.ts";
import { AppError, type Failure } from "#platform/errors.ts";
import { attempt, unwrap } from "#platform/result.ts";
import type { Sql } from "#platform/sql/sql.ts";
import {
  type Clock,
  fromMicros,
  type Timestamp,
  toMicros,
  ZERO_TIMESTAMP,
} from "#platform/time.ts";

/** Some of the entries of an import, as JSON texts. */
export interface ImportBatch {
  readonly texts: readonly string[];
  /** How many entries of the import come before these. */
  readonly before: number;
  /** Who imports them: what exports contain does not tell who wrote the entries first. */
  readonly author?: Author | undefined;
}

/**
 * How many of the first entries were taken. Entries that were neither taken nor refused must be sent again in the next
 * call.
 */
export interface ImportOutcome {
  readonly taken: number;
  /** What is odd about those that were taken; absent where nothing is. */
  readonly noted?: NotedEntries;
  /** Why the entry after them was refused. */
  readonly failure?: Failure;
}

/** How an imported entry is appended to the log. */
export interface ImportedAppend {
  readonly now: Timestamp;
  readonly key: string;
  readonly keyHash: string | undefined;
  /** The hash in base64. Where logs are chained, the entry must come to the same hash. */
  readonly expectedHash: string;
  readonly author: Author | undefined;
}

export interface ImporterDependencies {
  readonly sql: Sql;
  readonly batch: WriteBatch;
  readonly entries: EntryBuilder;
  readonly transactions: TransactionReader;
  readonly schemas: SchemaStore;
  /** The last entry of the log. Its id is -1 where there is none. */
  readonly head: () => { readonly logId: number; readonly date: Timestamp };
  /** Appends an entry. Throws `IMPORT` if its hash differs, before anything is written. */
  readonly append: (id: number, pending: PendingEntry, options: ImportedAppend) => void;
  /** The hash in base64 that the next entry has with a memento; undefined where logs are not chained. */
  readonly nextHash: (memento: string) => string | undefined;
  /** The work so far. */
  readonly steps: () => number;
  readonly clock: Clock;
}

/**
 * Imports entries of another ledger's log. Everything that an entry says is checked. Where one is refused, neither it
 * nor any entry after it is kept. A ledger can be imported into as long as it has no entries of its own.
 */
export class LogImporter {
  readonly #sql: Sql;
  readonly #batch: WriteBatch;
  readonly #entries: EntryBuilder;
  readonly #transactions: TransactionReader;
  readonly #schemas: SchemaStore;
  readonly #head: ImporterDependencies["head"];
  readonly #append: ImporterDependencies["append"];
  readonly #steps: ImporterDependencies["steps"];
  readonly #nextHash: ImporterDependencies["nextHash"];
  readonly #clock: Clock;
  #lastTransaction = -1;
  /** No entry may be later than this date, which is determined at the beginning of a call. */
  #latestDate = ZERO_TIMESTAMP;
  /** Sentences about sizes beyond the limits of writes, which the current entry leads to. */
  #sizes: string[] = [];
  readonly #note = (sentence: string): void => void this.#sizes.push(sentence);
  /** What is odd about the entries that this call has taken. */
  #notes: ImportNote[] = [];
  /** The work so far of searches for what hashes cover. */
  #searchSteps = 0;
  /** Who makes the call. */
  #author: Author | undefined;
  /** Whether the entries so far were written as this ledger writes them. */
  #hasOwnForm = true;

  constructor(dependencies: ImporterDependencies) {
    this.#sql = dependencies.sql;
    this.#batch = dependencies.batch;
    this.#entries = dependencies.entries;
    this.#transactions = dependencies.transactions;
    this.#schemas = dependencies.schemas;
    this.#head = dependencies.head;
    this.#append = dependencies.append;
    this.#steps = dependencies.steps;
    this.#nextHash = dependencies.nextHash;
    this.#clock = dependencies.clock;
  }

  /** Takes at least one entry, but not all where they are much work. It must be called in a unit of work. */
  take({ texts, before, author }: ImportBatch): ImportOutcome {
    this.#author = author;
    this.#notes = [];
    const ready = attempt(() => this.#begin());
    if (!ready.ok) return { taken: 0, failure: ready.failure };
    const stepsMax = this.#work + BULK_STEPS_MAX;
    let [taken, failure]: [number, Failure | undefined] = [0, undefined];
    for (const line of this.#parseAhead(texts, before)) {
      const result = attempt(() => this.#takeLine(line(), before + taken + 1));
      if (!result.ok) {
        failure = result.failure;
        break;
      }
      taken++;
      this.#batch.flushIfLarge();
      if (this.#work > stepsMax) break;
    }
    if (taken > 0) this.#noteReached();
    writeImportNotes(this.#sql, this.#notes);
    return {
      taken,
      ...(this.#notes.length === 0 ? {} : { noted: notedOf(this.#notes) }),
      ...(failure === undefined ? {} : { failure }),
    };
  }

  /** The work so far, in steps. */
  get #work(): number {
    return this.#steps() + this.#searchSteps;
  }

  #begin(): void {
    const [row] = this.#sql.all<{ imported: number | null; tx: number | null }>(
      "SELECT imported_log AS imported, (SELECT max(id) FROM tx) AS tx FROM ledger",
    );
    const { logId } = this.#head();
    if (logId !== -1 && row?.imported !== logId)
      throw refused("ledger is not in initializing state");
    this.#lastTransaction = row?.tx ?? -1;
    this.#latestDate = fromMicros(toMicros(this.#clock()) + AHEAD_MICROS_MAX);
  }

  /** Imported entries raise no events: they count as published. */
  #noteReached(): void {
    const { logId } = this.#head();
    this.#sql.all("UPDATE ledger SET imported_log = ?1, published_log = ?1", logId);
  }

  /** Parses entries in parts, and prefetches what each part asks for. It ends after an entry that is malformed. */
  *#parseAhead(texts: readonly string[], before: number): Generator<() => ParsedLine> {
    for (let from = 0; from < texts.length; from += PARSED_ENTRIES_MAX) {
      const part: ParsedLine[] = [];
      const read = attempt(() => {
        for (const text of texts.slice(from, from + PARSED_ENTRIES_MAX)) {
          const number = before + from + part.length + 1;
          part.push(this.#hasOwnForm ? parseLine(text, number) : parseWholeLine(text, number));
        }
      });
      this.#batch.prefetch(entriesAhead(() => itemsOfImported(part.map(({ entry }) => entry))));
      for (const line of part) yield () => line;
      if (!read.ok) yield () => unwrap(read);
    }
  }

  /**
   * Takes the entry of a line. One that was not parsed as a whole is compared by its text. Where that says that something is wrong,
   * the whole entry tells what, and whether it is.
   */
  #takeLine({ text, entry, derived }: ParsedLine, number: number): void {
    if (derived === undefined) return this.#takeEntry(entry, number);
    const last = this.#lastTransaction;
    const result = attempt(() => this.#takeEntry(entry, number, derived));
    if (result.ok) return;
    this.#lastTransaction = last;
    this.#takeEntry(parseWholeLine(text, number).entry, number);
    this.#hasOwnForm = false;
  }

  /**
   * Takes the entry with this number, counted from 1: in an export, the number of its line. `derived` is the text of what the ledger
   * must derive, where that was not parsed.
   */
  #takeEntry(entry: ImportedEntry, number: number, derived?: string): void {
    this.#sizes = [];
    this.#assertNext(entry);
    try {
      this.#assertDate(entry.date);
      this.#assertKeyUnused(entry.idempotencyKey);
      const { data, steps } = asHashed(entry, this.#nextHash);
      this.#searchSteps += steps;
      const pending = this.#toPending({ ...entry, data });
      assertDerived(derived, pending);
      this.#append(entry.id, pending, {
        now: entry.date,
        key: entry.idempotencyKey,
        keyHash: keyHashOf(entry, pending.data),
        expectedHash: entry.hash,
        author: this.#author,
      });
      const notes = notesOf(data, [...entry.notes, ...this.#sizes]);
      if (notes.length > 0) this.#notes.push({ id: entry.id, notes });
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
    const isThere = findRef(this.#sql, id) !== undefined;
    throw refused(
      isThere
        ? `log ${id} already exists`
        : `log ${id} comes after log ${logId}: ids must increase`,
    );
  }

  #assertDate(date: Timestamp): void {
    if (date < DATE_MIN || date > DATE_MAX) throw invalid("its date is not between 1970 and 2255");
    // Every later entry would get this date until it has come.
    if (date > this.#latestDate) {
      throw invalid("its date is more than a day ahead of the clock of this server");
    }
    const { logId, date: last } = this.#head();
    if (date < last)
      throw invalid(`its date is before that of log ${logId}: logs are out of order`);
  }

  #assertKeyUnused(key: string): void {
    if (key === "") return;
    if (this.#batch.hasKey(key)) {
      throw invalid(`the idempotency key '${key}' is that of an earlier log`);
    }
  }

  #toPending({ data, date, schemaVersion }: ImportedEntry): PendingEntry {
    const schema = schemaVersion === undefined ? undefined : this.#schemas.use(schemaVersion);
    const options = { now: date, schema, note: this.#note };
    switch (data.type) {
      case "NEW_TRANSACTION":
        return this.#newTransaction(data, options);
      case "REVERTED_TRANSACTION":
        return this.#revert(data, options);
      case "SET_METADATA":
        return this.#entries.metadata.set(data.target, data.metadata, options);
      case "DELETE_METADATA":
        return this.#entries.metadata.delete(data.target, data.key, options);
      case "INSERTED_SCHEMA":
        return this.#entries.insertSchema(data.schema, schema);
    }
  }

  #newTransaction(
    { transaction, accountMetadata }: ImportedOf<"NEW_TRANSACTION">,
    { now, schema }: EntryOptions,
  ): PendingEntry {
    const { reference, postings, metadata } = transaction;
    this.#takeTransactionId(transaction.id);
    if (reference !== undefined && this.#batch.hasReference(reference)) {
      throw invalid(`the reference '${reference}' is that of an earlier transaction`);
    }
    const moves = runPostings(postings, this.#batch, { force: true });
    const trace = this.#entries.metadata.traceOf(schema, moves, accountMetadata);
    const givenMetadata = withDefaults(accountMetadata, trace);
    assertEventSize({ postings, metadata, volumes: moves }, givenMetadata, this.#note);
    this.#batch.assertRoomFor(moves);
    this.#entries.metadata.assertAccounts(givenMetadata, this.#note);
    const prepared = { ...transaction, accountMetadata, trace };
    const pending = this.#entries.newTransaction(prepared, moves, now);
    assertSame(transaction, pending);
    return pending;
  }

  #revert(
    { transaction, reverts, reverted: given }: ImportedOf<"REVERTED_TRANSACTION">,
    { now, schema }: EntryOptions,
  ): PendingEntry {
    const { postings, metadata, reference } = transaction;
    this.#takeTransactionId(transaction.id);
    if (reference !== undefined) throw invalid("a revert has no reference");
    const original = this.#entries.storedTransaction(reverts);
    if (original.revertedAt !== undefined) {
      throw invalid(`transaction ${reverts} was reverted before`);
    }
    const reverted = this.#entries.revertedForm(original, now);
    if (!isReverse(postings, reverted.postings)) {
      throw invalid(`its postings do not undo transaction ${reverts}`);
    }
    if (given !== undefined) this.#assertReverted(given, reverted, original);
    const moves = runPostings(postings, this.#batch, { force: true });
    assertRevertSize(
      { postings, metadata, volumes: moves },
      { ...reverted, volumes: moves },
      this.#note,
    );
    const prepared = { ...transaction, original, reverted, trace: toTrace(schema) };
    const pending = this.#entries.revertingTransaction(prepared, moves, now);
    assertSame(transaction, pending);
    return pending;
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
      `the reverted transaction ${original.id} differs from the one in this ledger: ${difference}`,
    );
  }

  /** Transaction ids must increase along with log ids, because this holds everywhere in the ledger. */
  #takeTransactionId(id: number): void {
    if (id <= this.#lastTransaction) {
      throw invalid(
        `transaction ${id} comes after transaction ${this.#lastTransaction}: ids must increase`,
      );
    }
    this.#lastTransaction = id;
  }
}

/** Log dates are read as numbers, which must be exact. */
const DATE_MIN = fromMicros(0n);
/** The clocks of two servers may differ by this much, in microseconds: a day. */
const AHEAD_MICROS_MAX = 86_400_000_000n;
const DATE_MAX = fromMicros(BigInt(Number.MAX_SAFE_INTEGER));

type ImportedOf<T extends ImportedEntry["data"]["type"]> = Extract<
  ImportedEntry["data"],
  { type: T }
>;

/** This many entries are parsed at a time: what is parsed is still in the cache of the processor when it is taken. */
const PARSED_ENTRIES_MAX = 100;

function assertSame(given: ImportedTransaction, { transaction }: PendingEntry): void {
  const difference = transaction && differenceOf(given, transaction);
  if (difference !== undefined) throw invalid(`transaction ${given.id}: ${difference}`);
}

const notedOf = (notes: readonly ImportNote[]): NotedEntries => ({
  count: notes.length,
  first: notes.slice(0, FIRST_NOTED_MAX),
});

/** An error to which the caller adds the log entry that it is about. */
const invalid = (message: string): AppError => new AppError("IMPORT", message);
