import type { EffectiveMove, EffectiveVolumes } from "./effective-volumes.ts";
import { MetadataEntryBuilder } from "./metadata-entries.ts";
import {
  type DecodedEntry,
  type PendingEntry,
  type PreparedCreation,
  type PreparedRevert,
  type PreparedTransaction,
  toTrace,
  withDefaults,
} from "./pending-entry.ts";
import type { Note } from "#ledger-engine/rules/limits.ts";
import { type Move, runPostings } from "#ledger-engine/rules/postings.ts";
import type {
  AccountVolumes,
  Mutable,
  StoredSchema,
  Transaction,
} from "#ledger-engine/rules/types.ts";
import {
  encodeSchema,
  encodeTransaction,
  type TransactionExtras,
} from "#ledger-engine/storage/payload.ts";
import type { SchemaStore, SchemaUse } from "#ledger-engine/storage/schema-store.ts";
import {
  type StoredTransaction,
  toTransaction,
  type TransactionReader,
} from "#ledger-engine/storage/transaction-reader.ts";
import type { WriteBatch } from "#ledger-engine/storage/write-batch.ts";
import { assert } from "#platform/assert.ts";
import { AppError } from "#platform/errors.ts";
import type { Sql } from "#platform/sql/sql.ts";
import { type Timestamp, toMicros } from "#platform/time.ts";

export interface EntryBuilderDependencies {
  readonly sql: Sql;
  readonly batch: WriteBatch;
  readonly transactions: TransactionReader;
  /** Undefined if the ledger keeps no effective volumes. */
  readonly effective: EffectiveVolumes | undefined;
  readonly schemas: SchemaStore;
}

/**
 * Builds log entries and the rows that are derived from them. Callers check balances, charts and limits of transactions before, and that a
 * transaction is not reverted twice. `now` is the date of the entry; for a logged or imported entry, the date that the log gives.
 */
export class EntryBuilder {
  readonly #sql: Sql;
  readonly #batch: WriteBatch;
  readonly #transactions: TransactionReader;
  readonly #effective: EffectiveVolumes | undefined;
  readonly #schemas: SchemaStore;
  readonly metadata: MetadataEntryBuilder;

  constructor({ sql, batch, transactions, effective, schemas }: EntryBuilderDependencies) {
    this.#sql = sql;
    this.#batch = batch;
    this.#transactions = transactions;
    this.#effective = effective;
    this.#schemas = schemas;
    this.metadata = new MetadataEntryBuilder({
      sql,
      batch,
      storedTransaction: (id) => this.storedTransaction(id),
    });
  }

  /** The number of moves that this builder has rewritten so far because of transactions that are dated before them; `reset` leaves it. */
  get rewrittenMoves(): number {
    return this.#effective?.rewrittenMoves ?? 0;
  }

  /** Forgets the state in memory, which may be wrong after a rollback. */
  reset(): void {
    this.#effective?.reset();
  }

  /**
   * Rebuilds a logged entry from the state before it. The entry was accepted once, so that balances, limits and charts are
   * not checked again. Throws if the state before contradicts the entry: a transaction that it reverts or annotates is missing or was
   * reverted before, its id or reference is taken, its schema is missing or was inserted before. The error of a damaged entry has no fixed kind.
   */
  replay(data: DecodedEntry, now: Timestamp): PendingEntry {
    const { schemaVersion } = data;
    const schema = schemaVersion === undefined ? undefined : this.#schemas.use(schemaVersion);
    switch (data.type) {
      case "NEW_TRANSACTION": {
        const { transaction, accountMetadata } = data;
        this.#assertNew(transaction);
        const moves = runPostings(transaction.postings, this.#batch, { force: true });
        const trace = this.metadata.traceOf(schema, moves, accountMetadata);
        return this.newTransaction({ ...transaction, accountMetadata, trace }, moves, now);
      }
      case "REVERTED_TRANSACTION": {
        const original = this.storedTransaction(data.reverts);
        assert(original.revertedAt === undefined, `transaction ${original.id} is reverted once`);
        const reverted = this.revertedForm(original, now);
        this.#assertNew(data.transaction);
        const moves = runPostings(data.transaction.postings, this.#batch, { force: true });
        const prepared = { ...data.transaction, original, reverted, trace: toTrace(schema) };
        return this.revertingTransaction(prepared, moves, now);
      }
      case "SET_METADATA":
        return this.metadata.set(data.target, data.metadata, { now, schema, note: WAS_ACCEPTED });
      case "DELETE_METADATA":
        return this.metadata.delete(data.target, data.key, { now, schema, note: WAS_ACCEPTED });
      case "INSERTED_SCHEMA":
        return this.insertSchema(data.schema, schema);
    }
  }

  /** Asserts that the transaction's id and reference are new. A damaged log may contain them twice. */
  #assertNew({
    id,
    reference,
  }: {
    readonly id: number;
    readonly reference?: string | undefined;
  }): void {
    assert(!this.#batch.hasTransaction(id), `transaction ${id} is made once`);
    assert(
      reference === undefined || !this.#batch.hasReference(reference),
      `reference "${reference}" is used once`,
    );
  }

  /** A transaction in its state right after the revert. */
  revertedForm(original: StoredTransaction, now: Timestamp): Transaction {
    const names = this.#transactions.namesOf([original.payload]);
    return toTransaction({ ...original, revertedAt: now, updatedAt: now }, names);
  }

  /** Builds the entry of a new transaction. `moves` are the results of its postings. */
  newTransaction(prepared: PreparedCreation, moves: readonly Move[], now: Timestamp): PendingEntry {
    const { id, accountMetadata, timestamp, trace } = prepared;
    const entry = this.#transactionEntry(prepared, moves, now);
    return {
      data: { type: "NEW_TRANSACTION", transaction: entry.transaction, accountMetadata },
      schemaVersion: trace.schemaVersion,
      transaction: entry.transaction,
      project: (logId) => {
        const payload = this.#project(entry, moves);
        const metadata = withDefaults(accountMetadata, trace);
        this.metadata.writeAccounts(metadata, { firstUsage: timestamp, now, logId, tx: id });
        return payload;
      },
    };
  }

  /** Builds the entry of a transaction that reverts another one. The caller has checked that the other one is not reverted yet. */
  revertingTransaction(
    prepared: PreparedRevert,
    moves: readonly Move[],
    now: Timestamp,
  ): PendingEntry {
    const { original, reverted, trace } = prepared;
    // An imported revert may name a template. It is dropped, because mementos do not contain it and `replay` would not restore it.
    const content = { ...prepared, reference: undefined, template: undefined };
    const entry = this.#transactionEntry(content, moves, now);
    entry.extras.reverts = original.id;
    if (original.metadata !== undefined) entry.extras.revertedMetadata = original.metadata;
    return {
      data: {
        type: "REVERTED_TRANSACTION",
        revertedTransaction: reverted,
        transaction: entry.transaction,
      },
      schemaVersion: trace.schemaVersion,
      transaction: entry.transaction,
      project: () => {
        const payload = this.#project(entry, moves);
        const micros = toMicros(now).toString();
        this.#sql.all(
          "UPDATE tx SET reverted_at = CAST(?1 AS INTEGER), updated_at = CAST(?1 AS INTEGER) WHERE id = ?2",
          micros,
          original.id,
        );
        return payload;
      },
    };
  }

  /** Throws `SCHEMA_ALREADY_EXISTS`, or `VALIDATION` if the ledger has too many schemas. `use` is the schema that the write names. */
  insertSchema(schema: StoredSchema, use: SchemaUse | undefined): PendingEntry {
    this.#schemas.assertNew(schema.version);
    const trace = toTrace(use);
    return {
      data: { type: "INSERTED_SCHEMA", schema },
      schemaVersion: trace.schemaVersion,
      project: (logId) => {
        this.#schemas.add(logId, schema);
        return encodeSchema(schema, trace);
      },
    };
  }

  /** A transaction, also one of an earlier entry that still waits in the batch; that one is written by the call. Throws `NOT_FOUND`. */
  storedTransaction(id: number): StoredTransaction {
    // An earlier element of the same bulk may have created the transaction.
    this.#batch.flushTransaction(id);
    const stored = this.#transactions.find(id);
    if (stored === undefined) throw new AppError("NOT_FOUND", `transaction ${id} not found`);
    return stored;
  }

  /** Builds a new or reverting transaction with its volumes and the extras of its payload. */
  #transactionEntry(
    content: TransactionContent,
    moves: readonly Move[],
    now: Timestamp,
  ): TransactionEntry {
    const { id, postings, metadata, timestamp, reference, template, accountMetadata } = content;
    const { schemaVersion, defaults } = content.trace;
    const plans = this.#effective?.plan(moves, timestamp, now);
    const volumes = moves.map(toAccountVolumes);
    const transaction: Mutable<Transaction> = {
      id,
      postings,
      metadata,
      timestamp,
      insertedAt: now,
      updatedAt: now,
      volumes,
    };
    const extras: Mutable<TransactionExtras> = { metadata };
    if (accountMetadata !== undefined) extras.accountMetadata = accountMetadata;
    if (schemaVersion !== undefined) extras.schemaVersion = schemaVersion;
    if (defaults !== undefined) extras.defaults = defaults;
    if (timestamp !== now) extras.timestamp = timestamp;
    if (reference !== undefined) extras.reference = transaction.reference = reference;
    if (template !== undefined) extras.template = transaction.template = template;
    if (plans !== undefined) extras.effective = plans.map((plan) => plan.volumes);
    if (this.#effective !== undefined) {
      // If both volumes are equal, they share one list, which crosses RPC and is rendered once.
      transaction.effectiveVolumes =
        plans === undefined
          ? volumes
          : volumes.map((entry, index) => ({ ...entry, ...plans[index]?.volumes }));
    }
    return { transaction, extras, plans };
  }

  /** Collects the rows of a transaction, except for the row of its log entry, whose payload is returned. */
  #project({ transaction, extras, plans }: TransactionEntry, moves: readonly Move[]): string {
    const { id, postings, timestamp, insertedAt, metadata } = transaction;
    const dated = extras.timestamp;
    for (const plan of plans ?? NO_PLANS) plan.rewriteLater();
    let index = 0; // `moves.entries()` would allocate an array for each move
    for (const move of moves) {
      const { account, input, output } = move;
      const effective = plans?.[index++]?.volumes;
      this.#batch.addMove({
        // All accounts of a revert exist.
        account:
          extras.reverts === undefined
            ? this.#batch.useAccount(account, timestamp, insertedAt)
            : this.#batch.account(account),
        asset: this.#batch.asset(move.asset),
        tx: id,
        role: roleOf(move),
        input,
        output,
        timestamp: dated,
        effective: effective !== undefined && differs(effective, move) ? effective : undefined,
      });
    }
    this.#batch.addTx({
      id,
      timestamp: dated,
      reference: extras.reference,
      date: timestamp,
      insertedAt,
    });
    this.#batch.changeTransactionMetadata(id, undefined, metadata);
    this.#effective?.note(timestamp);
    return encodeTransaction(postings, extras, this.#batch);
  }
}

/** The content of a new or reverting transaction. */
type TransactionContent = PreparedTransaction &
  Partial<Pick<PreparedCreation, "reference" | "template" | "accountMetadata">>;

/** A transaction that is about to be stored, with the sources of its rows. */
interface TransactionEntry {
  readonly transaction: Transaction;
  readonly extras: Mutable<TransactionExtras>;
  /** The effect of each move on effective volumes; undefined if they equal the volumes. */
  readonly plans: readonly EffectiveMove[] | undefined;
}

/** Ignores sizes beyond the limits: a replayed entry was accepted once, perhaps by an import. */
const WAS_ACCEPTED: Note = () => undefined;

const NO_PLANS: readonly EffectiveMove[] = [];

const toAccountVolumes = ({ account, asset, input, output }: Move): AccountVolumes => ({
  account,
  asset,
  input,
  output,
});

function roleOf({ isSource, isDestination, before, input, output }: Move): number {
  const role = isSource ? (isDestination ? 2 : 1) : 0;
  const isZeroAmount =
    (isSource && output === before.output) || (isDestination && input === before.input);
  return isZeroAmount ? role + ZERO_AMOUNT : role;
}

/** Added to the role of a move if one of its sides moved a zero amount, as postings may. */
const ZERO_AMOUNT = 4;

const differs = (effective: { input: bigint; output: bigint }, move: Move): boolean =>
  effective.input !== move.input || effective.output !== move.output;
