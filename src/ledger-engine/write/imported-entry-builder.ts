import type { EntryBuilder } from "./entry-builder.ts";
import { type EntryOptions, type PendingEntry, toTrace, withDefaults } from "./pending-entry.ts";
import { assertEventSize, assertRevertSize, type Note } from "#ledger-engine/rules/limits.ts";
import {
  contentDifferenceOf,
  differenceOf,
  isReverse,
} from "#ledger-engine/rules/log/imported-differences.ts";
import type { ImportedEntry, ImportedTransaction } from "#ledger-engine/rules/log/imported-log.ts";
import { runPostings } from "#ledger-engine/rules/postings.ts";
import type { Transaction } from "#ledger-engine/rules/types.ts";
import type { SchemaStore } from "#ledger-engine/storage/schema-store.ts";
import type {
  StoredTransaction,
  TransactionReader,
} from "#ledger-engine/storage/transaction-reader.ts";
import type { WriteBatch } from "#ledger-engine/storage/write-batch.ts";
import { AppError } from "#platform/errors.ts";

type ImportedOf<T extends ImportedEntry["data"]["type"]> = Extract<
  ImportedEntry["data"],
  { type: T }
>;

export interface ImportedEntriesDependencies {
  readonly batch: WriteBatch;
  readonly entries: EntryBuilder;
  readonly transactions: TransactionReader;
  readonly schemas: SchemaStore;
  /** Gets a sentence about each size beyond the limits of writes. */
  readonly note: Note;
}

/** Builds entries from the content of imported ones, and checks that this content follows from the ledger as it is. */
export class ImportedEntryBuilder {
  readonly #batch: WriteBatch;
  readonly #entries: EntryBuilder;
  readonly #transactions: TransactionReader;
  readonly #schemas: SchemaStore;
  readonly #note: Note;
  /** The highest id of a transaction; -1 if there is none. */
  lastTransaction = -1;

  constructor(dependencies: ImportedEntriesDependencies) {
    this.#batch = dependencies.batch;
    this.#entries = dependencies.entries;
    this.#transactions = dependencies.transactions;
    this.#schemas = dependencies.schemas;
    this.#note = dependencies.note;
  }

  /** The entry of an imported one. Throws `IMPORT`, and the refusals of writes. */
  build({ data, date, schemaVersion }: ImportedEntry): PendingEntry {
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
      throw invalidEntry(`the reference '${reference}' is that of an earlier transaction`);
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
    if (reference !== undefined) throw invalidEntry("a revert has no reference");
    const original = this.#entries.storedTransaction(reverts);
    if (original.revertedAt !== undefined) {
      throw invalidEntry(`transaction ${reverts} was reverted before`);
    }
    const reverted = this.#entries.revertedForm(original, now);
    if (!isReverse(postings, reverted.postings)) {
      throw invalidEntry(`its postings do not undo transaction ${reverts}`);
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
    throw invalidEntry(
      `the reverted transaction ${original.id} differs from the one in this ledger: ${difference}`,
    );
  }

  /** Checks that transaction ids increase with log ids, as the tables of the log require. */
  #takeTransactionId(id: number): void {
    if (id <= this.lastTransaction) {
      throw invalidEntry(
        `transaction ${id} comes after transaction ${this.lastTransaction}: ids must increase`,
      );
    }
    this.lastTransaction = id;
  }
}

function assertSame(given: ImportedTransaction, { transaction }: PendingEntry): void {
  const difference = transaction && differenceOf(given, transaction);
  if (difference !== undefined) throw invalidEntry(`transaction ${given.id}: ${difference}`);
}

/** An error about the current entry, whose id `LogImporter` adds. */
export const invalidEntry = (message: string): AppError => new AppError("IMPORT", message);
