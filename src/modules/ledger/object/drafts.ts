import { assert } from "../../../platform/assert.ts";
import { AppError } from "../../../platform/errors.ts";
import { stringifyJson } from "../../../platform/json.ts";
import { toMicros, type Timestamp } from "../../../platform/time.ts";
import { ACCOUNTS_METADATA_BYTES_MAX, assertMetadata, metadataBytes } from "../core/limits.ts";
import { containsMetadata, mergeMetadata, withoutKey } from "../core/metadata.ts";
import { type Move, runPostings } from "../core/postings.ts";
import type {
  Account,
  AccountMetadata,
  AccountVolumes,
  LogData,
  Metadata,
  Posting,
  Target,
  Transaction,
} from "../core/types.ts";
import type { EffectiveVolumes } from "./effective-volumes.ts";
import { encodeKey, encodeMetadata, encodeTransaction, type TransactionExtras } from "./payload.ts";
import type { Sql } from "./sql.ts";
import {
  type StoredTransaction,
  toTransaction,
  type TransactionReader,
} from "./transaction-reader.ts";
import type { WriteBatch } from "./write-batch.ts";

/** A decided command: what its log entry says, and how its rows come to be. Deciding has written nothing yet. */
export interface Draft {
  readonly data: LogData;
  /** The transaction to answer. */
  readonly transaction?: Transaction;
  /** Collects the rows for the log entry of this id and gives the payload of its row. */
  readonly project: (logId: number) => string;
}

/** A transaction that is about to be stored. */
export interface Made {
  readonly id: number;
  readonly postings: readonly Posting[];
  readonly metadata: Metadata;
  readonly timestamp: Timestamp;
}

export interface NewTransaction extends Made {
  readonly reference: string | undefined;
  readonly accountMetadata: AccountMetadata;
}

export interface RevertingTransaction extends Made {
  readonly original: StoredTransaction;
  readonly reverted: Transaction;
}

/** What a log row says by itself, in names. */
export type LoggedData =
  | {
      readonly type: "NEW_TRANSACTION";
      readonly transaction: Made & { readonly reference: string | undefined };
      readonly accountMetadata: AccountMetadata;
    }
  | { readonly type: "REVERTED_TRANSACTION"; readonly transaction: Made; readonly reverts: number }
  | { readonly type: "SET_METADATA"; readonly target: Target; readonly metadata: Metadata }
  | { readonly type: "DELETE_METADATA"; readonly target: Target; readonly key: string };

export interface DraftDependencies {
  readonly sql: Sql;
  readonly batch: WriteBatch;
  readonly transactions: TransactionReader;
  /** Volumes in the order of effective dates, where the ledger keeps them. */
  readonly effective: EffectiveVolumes | undefined;
}

/** Makes the entries of the log: what they say, and the rows that follow from them. It refuses nothing that is legal. */
export class Drafts {
  readonly #sql: Sql;
  readonly #batch: WriteBatch;
  readonly #transactions: TransactionReader;
  readonly #effective: EffectiveVolumes | undefined;
  #metadataPairs = 0;

  constructor({ sql, batch, transactions, effective }: DraftDependencies) {
    this.#sql = sql;
    this.#batch = batch;
    this.#transactions = transactions;
    this.#effective = effective;
  }

  /** How many pairs of metadata were looked at so far: a write of one key reads and writes all of its target. */
  get metadataPairs(): number {
    return this.#metadataPairs;
  }

  /** How many moves were rewritten so far because of transactions that are dated before them. */
  get shiftedMoves(): number {
    return this.#effective?.shiftedMoves ?? 0;
  }

  /** Forgets what a rolled-back unit of work has told. */
  reset(): void {
    this.#effective?.reset();
  }

  /**
   * Makes a logged entry again, as when its command was decided: what was accepted then is not judged again. Throws where
   * the ledger cannot have got to this entry.
   */
  replay(data: LoggedData, now: Timestamp): Draft {
    switch (data.type) {
      case "NEW_TRANSACTION": {
        const { transaction, accountMetadata } = data;
        this.#assertNew(transaction);
        const moves = runPostings(transaction.postings, this.#batch, { force: true });
        return this.newTransaction({ ...transaction, accountMetadata }, moves, now);
      }
      case "REVERTED_TRANSACTION": {
        const original = this.storedTransaction(data.reverts);
        const reverted = this.revertedForm(original, now);
        this.#assertNew(data.transaction);
        const moves = runPostings(data.transaction.postings, this.#batch, { force: true });
        return this.revertingTransaction({ ...data.transaction, original, reverted }, moves, now);
      }
      case "SET_METADATA":
        return this.setMetadata(data.target, data.metadata, now);
      case "DELETE_METADATA":
        return this.deleteMetadata(data.target, data.key, now);
    }
  }

  /** What no command can do, a damaged log may say. */
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

  /** A transaction as its revert leaves it. */
  revertedForm(original: StoredTransaction, now: Timestamp): Transaction {
    const names = this.#transactions.namesOf([original.payload]);
    return toTransaction({ ...original, revertedAt: now, updatedAt: now }, names);
  }

  newTransaction(made: NewTransaction, moves: readonly Move[], now: Timestamp): Draft {
    const { accountMetadata, timestamp, ...transaction } = made;
    const entry = this.#transactionEntry(
      { ...transaction, timestamp, isRevert: false },
      moves,
      now,
    );
    return {
      data: { type: "NEW_TRANSACTION", transaction: entry.transaction, accountMetadata },
      transaction: entry.transaction,
      project: (logId) => {
        const payload = entry.project(logId, { accountMetadata });
        this.#projectAccountMetadata(accountMetadata, { firstUsage: timestamp, now, logId });
        return payload;
      },
    };
  }

  revertingTransaction(made: RevertingTransaction, moves: readonly Move[], now: Timestamp): Draft {
    const { original, reverted, ...transaction } = made;
    const entry = this.#transactionEntry(
      { ...transaction, reference: undefined, isRevert: true },
      moves,
      now,
    );
    return {
      data: {
        type: "REVERTED_TRANSACTION",
        revertedTransaction: reverted,
        transaction: entry.transaction,
      },
      transaction: entry.transaction,
      project: (logId) => {
        const payload = entry.project(logId, {
          reverts: original.id,
          ...(original.metadata === undefined ? {} : { revertedMetadata: original.metadata }),
        });
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

  setMetadata(target: Target, metadata: Metadata, now: Timestamp): Draft {
    const write =
      target.type === "ACCOUNT"
        ? this.#accountMetadataWriter(target.id, metadata, { firstUsage: now, now })
        : this.#transactionMetadataWriter(target.id, metadata, now);
    return {
      data: { type: "SET_METADATA", target, metadata },
      project: (logId) => {
        write();
        this.#batch.noteMetadataEntry(target, logId);
        return encodeMetadata({ target, metadata });
      },
    };
  }

  deleteMetadata(target: Target, key: string, now: Timestamp): Draft {
    // The key is logged, whether it is there or not.
    assertMetadata({ [key]: "" });
    const write =
      target.type === "ACCOUNT"
        ? this.#accountKeyRemover(target.id, key)
        : this.#transactionKeyRemover(target.id, key, now);
    return {
      data: { type: "DELETE_METADATA", target, key },
      project: (logId) => {
        write();
        if (this.#isKnown(target)) this.#batch.noteMetadataEntry(target, logId);
        return encodeKey({ target, key });
      },
    };
  }

  /** Throws `NOT_FOUND`. */
  storedTransaction(id: number): StoredTransaction {
    // It may have been made by an earlier element of the same bulk.
    this.#batch.flush();
    const stored = this.#transactions.find(id);
    if (stored === undefined) throw new AppError("NOT_FOUND", `transaction ${id} not found`);
    return stored;
  }

  /** Throws `VALIDATION` where an account would have too much metadata, or all of them together. */
  assertAccountMetadata(accountMetadata: AccountMetadata): void {
    let bytes = 0;
    for (const [address, metadata] of Object.entries(accountMetadata)) {
      const known = this.#batch.findAccountRow(address as Account)?.metadata ?? {}; // checked with the command
      const merged = this.#counted(mergeMetadata(known, metadata));
      assertMetadata(merged);
      bytes += metadataBytes(merged);
      if (bytes <= ACCOUNTS_METADATA_BYTES_MAX) continue;
      throw new AppError(
        "VALIDATION",
        `the accounts have more than ${ACCOUNTS_METADATA_BYTES_MAX} bytes of metadata together`,
      );
    }
  }

  /** Counts the pairs of metadata that is about to be compared and written. */
  #counted(metadata: Metadata): Metadata {
    this.#metadataPairs += Object.keys(metadata).length;
    return metadata;
  }

  /** What create and revert share: a transaction with its volumes, and the writing of its rows. */
  #transactionEntry(
    draft: Made & { readonly reference: string | undefined; readonly isRevert: boolean },
    moves: readonly Move[],
    now: Timestamp,
  ) {
    const { id, postings, metadata, timestamp, reference } = draft;
    const plans = this.#effective?.plan(moves, timestamp, now);
    const volumes = moves.map(toAccountVolumes);
    const transaction: Transaction = {
      id,
      postings,
      metadata,
      timestamp,
      ...(reference === undefined ? {} : { reference }),
      insertedAt: now,
      updatedAt: now,
      volumes,
      ...(this.#effective === undefined
        ? {}
        : {
            // The same list where they are equal: it crosses RPC, and is rendered, once.
            effectiveVolumes:
              plans === undefined
                ? volumes
                : volumes.map((entry, index) => ({ ...entry, ...plans[index]?.volumes })),
          }),
    };
    const dated = timestamp === now ? undefined : timestamp;
    const extras: TransactionExtras = {
      metadata,
      ...(dated === undefined ? {} : { timestamp: dated }),
      ...(reference === undefined ? {} : { reference }),
      ...(plans === undefined ? {} : { effective: plans.map((plan) => plan.volumes) }),
    };
    // A revert leaves accounts as they are: all of them are there.
    const touch = (account: Account): number =>
      draft.isRevert
        ? this.#batch.account(account)
        : this.#batch.useAccount(account, timestamp, now);
    const project = (log: number, more: TransactionExtras): string => {
      for (const plan of plans ?? []) plan.shift();
      for (const [index, move] of moves.entries()) {
        const effective = plans?.[index]?.volumes;
        this.#batch.addMove({
          account: touch(move.account),
          asset: this.#batch.asset(move.asset),
          tx: id,
          role: roleOf(move),
          input: move.input,
          output: move.output,
          timestamp: dated,
          effective: effective !== undefined && differs(effective, move) ? effective : undefined,
        });
      }
      this.#batch.addTx({ id, log, timestamp: dated, reference, date: timestamp });
      this.#batch.changeTransactionMetadata(id, undefined, metadata);
      this.#effective?.note(timestamp);
      return encodeTransaction(postings, { ...extras, ...more }, this.#batch);
    };
    return { transaction, project };
  }

  #projectAccountMetadata(
    accountMetadata: AccountMetadata,
    { logId, ...dates }: { firstUsage: Timestamp; now: Timestamp; logId: number },
  ): void {
    for (const [address, metadata] of Object.entries(accountMetadata)) {
      const account = address as Account; // checked with the command
      this.#accountMetadataWriter(account, metadata, dates)();
      this.#batch.noteMetadataEntry({ type: "ACCOUNT", id: account }, logId);
    }
  }

  /** A command finds its transaction, or is refused. */
  #isKnown(target: Target): boolean {
    return target.type === "TRANSACTION" || this.#batch.findAccountId(target.id) !== undefined;
  }

  #accountMetadataWriter(
    address: Account,
    metadata: Metadata,
    { firstUsage, now }: { firstUsage: Timestamp; now: Timestamp },
  ): () => void {
    const known = this.#batch.findAccountRow(address);
    const merged = this.#counted(mergeMetadata(known?.metadata ?? {}, metadata));
    assertMetadata(merged);
    return () => {
      this.#batch.useAccount(address, firstUsage, now);
      if (known === undefined) this.#batch.setAccountMetadata(address, merged);
      else if (!containsMetadata(known.metadata ?? {}, metadata)) {
        this.#batch.setAccountMetadata(address, merged, now);
      }
    };
  }

  /** Removing a key that is not there is logged, too, and changes nothing else. */
  #accountKeyRemover(address: Account, key: string): () => void {
    const metadata = this.#counted(this.#batch.findAccountRow(address)?.metadata ?? {});
    if (metadata === undefined || !Object.hasOwn(metadata, key)) return () => undefined;
    return () => this.#batch.setAccountMetadata(address, withoutKey(metadata, key));
  }

  #transactionMetadataWriter(id: number, metadata: Metadata, now: Timestamp): () => void {
    const current = this.#currentMetadata(id);
    const merged = mergeMetadata(current, metadata);
    assertMetadata(merged);
    return containsMetadata(current, metadata)
      ? () => undefined
      : () => this.#writeTransactionMetadata(id, { before: current, after: merged, now });
  }

  #transactionKeyRemover(id: number, key: string, now: Timestamp): () => void {
    const current = this.#currentMetadata(id);
    if (!Object.hasOwn(current, key)) {
      throw new AppError("NOT_FOUND", `transaction ${id} has no metadata '${key}'`);
    }
    const after = withoutKey(current, key);
    return () => this.#writeTransactionMetadata(id, { before: current, after, now });
  }

  #currentMetadata(id: number): Metadata {
    const { metadata, payload } = this.storedTransaction(id);
    return this.#counted(metadata ?? payload.metadata ?? {});
  }

  #writeTransactionMetadata(
    id: number,
    { before, after, now }: { before: Metadata; after: Metadata; now: Timestamp },
  ): void {
    this.#sql.all(
      "UPDATE tx SET metadata = ?, updated_at = CAST(? AS INTEGER) WHERE id = ?",
      stringifyJson(after),
      toMicros(now).toString(),
      id,
    );
    this.#batch.changeTransactionMetadata(id, before, after);
  }
}

const toAccountVolumes = ({ account, asset, input, output }: Move): AccountVolumes => ({
  account,
  asset,
  input,
  output,
});

function roleOf({ isSource, isDestination, before, input, output }: Move): number {
  const role = isSource ? (isDestination ? 2 : 1) : 0;
  const isIdle =
    (isSource && output === before.output) || (isDestination && input === before.input);
  return isIdle ? role + IDLE : role;
}

/** What a role has more where a side of the move moved nothing: postings may be of zero. */
const IDLE = 4;

const differs = (effective: { input: bigint; output: bigint }, move: Move): boolean =>
  effective.input !== move.input || effective.output !== move.output;
