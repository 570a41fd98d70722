import type { EntryBuilder } from "./entry-builder.ts";
import { ImportedEntryBuilder, invalidEntry } from "./imported-entry-builder.ts";
import { asHashed, keyHashOf } from "./imported-hashes.ts";
import {
  assertDerived,
  type ParsedLine,
  parseLine,
  parseWholeLine,
  refused,
} from "./imported-lines.ts";
import type { PendingEntry } from "./pending-entry.ts";
import { entriesAhead, itemsOfImported } from "./prefetched-items.ts";
import { BULK_STEPS_MAX } from "#ledger-engine/rules/limits.ts";
import {
  FIRST_NOTED_MAX,
  type ImportNote,
  type NotedEntries,
  notesOf,
} from "#ledger-engine/rules/log/import-notes.ts";
import type { ImportedEntry } from "#ledger-engine/rules/log/imported-log.ts";
import type { Author } from "#ledger-engine/rules/writes.ts";
import { writeImportNotes } from "#ledger-engine/storage/log/import-notes.ts";
import { findRef } from "#ledger-engine/storage/log/log-tables.ts";
import type { SchemaStore } from "#ledger-engine/storage/schema-store.ts";
import type { TransactionReader } from "#ledger-engine/storage/transaction-reader.ts";
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

/** A part of the entries of an import, as JSON texts. */
export interface ImportBatch {
  readonly texts: readonly string[];
  /** The number of entries of the import before these. */
  readonly before: number;
  /** The author of the import, because exports do not contain the authors of their entries. */
  readonly author?: Author | undefined;
}

export interface ImportOutcome {
  /** The number of entries that were taken, from the first on. Without `failure`, the entries after them are sent again. */
  readonly taken: number;
  /** Notes about unusual entries among the taken ones; absent if there are none. */
  readonly noted?: NotedEntries;
  /** The reason why the entry after the taken ones was refused. */
  readonly failure?: Failure;
}

/** The properties of an imported entry besides its content. */
export interface ImportedAppend {
  readonly now: Timestamp;
  readonly key: string;
  readonly keyHash: string | undefined;
  /** The exported hash in base64. If logs are chained, the appended entry must have the same hash. */
  readonly expectedHash: string;
  readonly author: Author | undefined;
}

export interface ImporterDependencies {
  readonly sql: Sql;
  readonly batch: WriteBatch;
  readonly entries: EntryBuilder;
  readonly transactions: TransactionReader;
  readonly schemas: SchemaStore;
  /** The last entry of the log; `logId` is -1 if the log is empty. */
  readonly head: () => { readonly logId: number; readonly date: Timestamp };
  /** Appends an entry. Throws `IMPORT` if its hash differs, before anything is written. */
  readonly append: (id: number, pending: PendingEntry, options: ImportedAppend) => void;
  /** The hash in base64 that the next entry has with a memento; undefined if logs are not chained. */
  readonly nextHash: (memento: string) => string | undefined;
  /** The engine's total work so far, in steps of scripts. */
  readonly steps: () => number;
  readonly clock: Clock;
}

/**
 * Imports entries of another ledger's log, and checks each entry. A refused entry and all entries after it are not kept; the entries before
 * it are. A ledger takes imports as long as it has no entries of its own. An engine has one importer for all imports.
 */
export class LogImporter {
  readonly #sql: Sql;
  readonly #batch: WriteBatch;
  readonly #builder: ImportedEntryBuilder;
  readonly #head: ImporterDependencies["head"];
  readonly #append: ImporterDependencies["append"];
  readonly #steps: ImporterDependencies["steps"];
  readonly #nextHash: ImporterDependencies["nextHash"];
  readonly #clock: Clock;
  /** No entry may be later than this date, which is determined at the beginning of a call. */
  #latestDate = ZERO_TIMESTAMP;
  /** Sentences about sizes of the current entry beyond the limits of writes. */
  #sizes: string[] = [];
  readonly #note = (sentence: string): void => void this.#sizes.push(sentence);
  /** Notes about unusual entries that the current call has taken. */
  #notes: ImportNote[] = [];
  /** The work so far of searches for the texts that hashes cover, in steps. */
  #searchSteps = 0;
  #author: Author | undefined;
  /** Whether all entries so far had the text that this ledger would write. */
  #hasOwnForm = true;

  constructor(dependencies: ImporterDependencies) {
    this.#sql = dependencies.sql;
    this.#batch = dependencies.batch;
    this.#builder = new ImportedEntryBuilder({ ...dependencies, note: this.#note });
    this.#head = dependencies.head;
    this.#append = dependencies.append;
    this.#steps = dependencies.steps;
    this.#nextHash = dependencies.nextHash;
    this.#clock = dependencies.clock;
  }

  /**
   * Takes entries in order until one is refused or the limit of work is reached, which at least one entry may exceed. It must be called in a
   * unit of work. A refusal is returned, and no write of the refused entry has begun; any other error is thrown, and the unit of work must
   * keep nothing. A repeated batch is refused, because the ledger has its entries already: after a lost answer, the last entry of the
   * log tells where to go on.
   */
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
    this.#builder.lastTransaction = row?.tx ?? -1;
    this.#latestDate = fromMicros(toMicros(this.#clock()) + AHEAD_MICROS_MAX);
  }

  /** Notes the last entry as imported and as published: imported entries raise no events. */
  #noteReached(): void {
    const { logId } = this.#head();
    this.#sql.all("UPDATE ledger SET imported_log = ?1, published_log = ?1", logId);
  }

  /** Parses entries in parts, and prefetches the items of each part. It ends after a malformed entry, whose getter throws. */
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
   * Takes the entry of a line. If the line was parsed without its derived parts, their text is compared first. If the texts differ, the
   * whole line is parsed: it may be equal in another form of JSON, and its fields tell the difference.
   */
  #takeLine({ text, entry, derived }: ParsedLine, number: number): void {
    if (derived === undefined) return this.#takeEntry(entry, number);
    const last = this.#builder.lastTransaction;
    const result = attempt(() => this.#takeEntry(entry, number, derived));
    if (result.ok) return;
    this.#builder.lastTransaction = last;
    this.#takeEntry(parseWholeLine(text, number).entry, number);
    this.#hasOwnForm = false;
  }

  /**
   * Takes an entry. Its number, counted from 1, is that of its line in the export. `derived` is the text of the derived parts, if they
   * were not parsed.
   */
  #takeEntry(entry: ImportedEntry, number: number, derived?: string): void {
    this.#sizes = [];
    this.#assertNext(entry);
    try {
      this.#assertDate(entry.date);
      this.#assertKeyUnused(entry.idempotencyKey);
      const { data, steps } = asHashed(entry, this.#nextHash);
      this.#searchSteps += steps;
      const pending = this.#builder.build({ ...entry, data });
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
    if (date < DATE_MIN || date > DATE_MAX)
      throw invalidEntry("its date is not between 1970 and 2255");
    // Dates never decrease, so that all later entries would get a date in the future.
    if (date > this.#latestDate) {
      throw invalidEntry("its date is more than a day ahead of the clock of this server");
    }
    const { logId, date: last } = this.#head();
    if (date < last)
      throw invalidEntry(`its date is before that of log ${logId}: logs are out of order`);
  }

  #assertKeyUnused(key: string): void {
    if (key === "") return;
    if (this.#batch.hasKey(key)) {
      throw invalidEntry(`the idempotency key '${key}' is that of an earlier log`);
    }
  }
}

// Log dates are read as numbers of microseconds, which are exact from 1970 to 2255.
const DATE_MIN = fromMicros(0n);
/** The most that the clocks of two servers may differ, in microseconds: a day. */
const AHEAD_MICROS_MAX = 86_400_000_000n;
const DATE_MAX = fromMicros(BigInt(Number.MAX_SAFE_INTEGER));

/** The number of entries that are parsed at a time: few enough to be in the processor's cache when they are taken. */
const PARSED_ENTRIES_MAX = 100;

const notedOf = (notes: readonly ImportNote[]): NotedEntries => ({
  count: notes.length,
  first: notes.slice(0, FIRST_NOTED_MAX),
});
