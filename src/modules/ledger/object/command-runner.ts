import { AppError } from "../../../platform/errors.ts";
import { stringifyJson } from "../../../platform/json.ts";
import { toMicros, type Timestamp } from "../../../platform/time.ts";
import { assertEventSize, assertMetadata, assertRevertSize } from "../core/limits.ts";
import { containsMetadata, mergeMetadata, withoutKey } from "../core/metadata.ts";
import { type Move, reversePostings, runPostings, runRevert } from "../core/postings.ts";
import { type Movements, type ScriptSettings, Scripts } from "../core/scripts.ts";
import type {
  Account,
  AccountMetadata,
  AccountVolumes,
  Command,
  CreateTransaction,
  DeleteMetadata,
  LogData,
  Metadata,
  Posting,
  RevertTransaction,
  RunScript,
  SetMetadata,
  Transaction,
} from "../core/types.ts";
import { EffectiveVolumes } from "./effective-volumes.ts";
import { encodeKey, encodeMetadata, encodeTransaction, type TransactionExtras } from "./payload.ts";
import { BoundedScriptCache } from "./script-cache.ts";
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

export interface RunnerDependencies {
  readonly sql: Sql;
  readonly batch: WriteBatch;
  readonly transactions: TransactionReader;
  /** Whether volumes are kept in the order of effective dates, too. */
  readonly keepsEffectiveVolumes: boolean;
  readonly takeTransactionId: () => number;
  readonly scripts: ScriptSettings;
}

/** Metadata key under which a reverting transaction names the one that it reverts. */
const REVERTS_KEY = "com.formance.spec/state/reverts";

/** Decides commands against the state of a ledger. Throws `AppError` for those that it refuses. */
export class CommandRunner {
  readonly #sql: Sql;
  readonly #batch: WriteBatch;
  readonly #transactions: TransactionReader;
  readonly #effective: EffectiveVolumes | undefined;
  readonly #takeTransactionId: () => number;
  readonly #scripts: Scripts;

  constructor(dependencies: RunnerDependencies) {
    const { sql, batch, transactions } = dependencies;
    this.#sql = sql;
    this.#batch = batch;
    this.#transactions = transactions;
    this.#takeTransactionId = dependencies.takeTransactionId;
    this.#effective = dependencies.keepsEffectiveVolumes
      ? new EffectiveVolumes(sql, batch, transactions)
      : undefined;
    this.#scripts = new Scripts(dependencies.scripts, new BoundedScriptCache(), {
      balance: (account, asset) => {
        const { input, output } = batch.volumes(account, asset);
        return input - output;
      },
      scalesOf: (base) => batch.scalesOf(base),
      accountMetadata: (account) => {
        const row = batch.findAccountRow(account);
        return row === undefined ? undefined : (row.metadata ?? {});
      },
    });
  }

  /** Forgets what a rolled-back unit of work has told. */
  reset(): void {
    this.#effective?.reset();
  }

  decide(command: Command, now: Timestamp): Draft {
    switch (command.kind) {
      case "createTransaction":
      case "runScript":
        return this.#create(command, now);
      case "revertTransaction":
        return this.#revert(command, now);
      case "setMetadata":
        return this.#setMetadata(command, now);
      case "deleteMetadata":
        return this.#deleteMetadata(command, now);
    }
  }

  #create(command: CreateTransaction | RunScript, now: Timestamp): Draft {
    const { reference } = command;
    const { postings, metadata, accountMetadata } = this.#movementsOf(command);
    // What a script lets go below zero, it has decided itself, from the same balances.
    const force = command.kind === "runScript" || command.force;
    const moves = runPostings(postings, this.#batch, { force });
    assertEventSize({ postings, metadata, volumes: moves }, accountMetadata);
    this.#batch.assertRoomFor(moves.map(({ asset }) => asset));
    this.#assertAccountMetadata(accountMetadata);
    const id = this.#takeTransactionId();
    if (reference !== undefined && this.#batch.hasReference(reference)) {
      throw new AppError("CONFLICT", `duplicate reference "${reference}"`);
    }
    const timestamp = command.timestamp ?? now;
    const entry = this.#transactionEntry(
      { id, postings, metadata, timestamp, reference, isRevert: false },
      moves,
      now,
    );
    return {
      data: { type: "NEW_TRANSACTION", transaction: entry.transaction, accountMetadata },
      transaction: entry.transaction,
      project: (logId) => {
        const payload = entry.project(logId, { accountMetadata });
        this.#projectAccountMetadata(accountMetadata, timestamp, now);
        return payload;
      },
    };
  }

  /** The interpreter makes no postings of zero, not even of those that are written out. */
  #movementsOf(command: CreateTransaction | RunScript): Movements {
    if (command.kind === "runScript") return this.#scripts.run(command);
    const { metadata, accountMetadata = {} } = command;
    const isMachine = this.#scripts.runtimeOf(command) === "machine";
    const postings = isMachine
      ? command.postings
      : command.postings.filter(({ amount }) => amount > 0n);
    if (postings.length === 0) {
      throw new AppError("NO_POSTINGS", "the interpreter makes no postings of zero amounts");
    }
    return { postings, metadata, accountMetadata };
  }

  #revert(command: RevertTransaction, now: Timestamp): Draft {
    const original = this.#storedTransaction(command.id);
    if (original.revertedAt !== undefined) {
      throw new AppError("ALREADY_REVERT", `already reverted, id: ${command.id}`);
    }
    const names = this.#transactions.namesOf([original.payload]);
    const reverted = toTransaction({ ...original, revertedAt: now, updatedAt: now }, names);
    const postings = reversePostings(reverted.postings);
    const moves = runRevert(postings, this.#batch, { force: command.force });
    const metadata = mergeMetadata(command.metadata ?? {}, { [REVERTS_KEY]: `${command.id}` });
    assertRevertSize({ postings, metadata, volumes: moves }, { ...reverted, volumes: moves });
    const id = this.#takeTransactionId();
    const timestamp = command.atEffectiveDate ? reverted.timestamp : now;
    const entry = this.#transactionEntry(
      { id, postings, metadata, timestamp, reference: undefined, isRevert: true },
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
          reverts: command.id,
          ...(original.metadata === undefined ? {} : { revertedMetadata: original.metadata }),
        });
        const micros = toMicros(now).toString();
        this.#sql.all(
          "UPDATE tx SET reverted_at = CAST(?1 AS INTEGER), updated_at = CAST(?1 AS INTEGER) WHERE id = ?2",
          micros,
          command.id,
        );
        return payload;
      },
    };
  }

  #setMetadata(command: SetMetadata, now: Timestamp): Draft {
    const { target, metadata } = command;
    const write =
      target.type === "ACCOUNT"
        ? this.#accountMetadataWriter(target.id, metadata, { firstUsage: now, now })
        : this.#transactionMetadataWriter(target.id, metadata, now);
    return {
      data: { type: "SET_METADATA", target, metadata },
      project: () => {
        write();
        return encodeMetadata({ target, metadata });
      },
    };
  }

  #deleteMetadata({ target, key }: DeleteMetadata, now: Timestamp): Draft {
    // The key is logged, whether it is there or not.
    assertMetadata({ [key]: "" });
    const write =
      target.type === "ACCOUNT"
        ? this.#accountKeyRemover(target.id, key)
        : this.#transactionKeyRemover(target.id, key, now);
    return {
      data: { type: "DELETE_METADATA", target, key },
      project: () => {
        write();
        return encodeKey({ target, key });
      },
    };
  }

  /** What create and revert share: a transaction with its volumes, and the writing of its rows. */
  #transactionEntry(
    draft: {
      id: number;
      postings: readonly Posting[];
      metadata: Metadata;
      timestamp: Timestamp;
      reference: string | undefined;
      isRevert: boolean;
    },
    moves: readonly Move[],
    now: Timestamp,
  ) {
    const { id, postings, metadata, timestamp, reference } = draft;
    assertMetadata(metadata);
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
      this.#effective?.note(timestamp);
      return encodeTransaction(postings, { ...extras, ...more }, this.#batch);
    };
    return { transaction, project };
  }

  #assertAccountMetadata(accountMetadata: AccountMetadata): void {
    for (const [address, metadata] of Object.entries(accountMetadata)) {
      const known = this.#batch.findAccountRow(address as Account)?.metadata ?? {}; // checked with the command
      assertMetadata(mergeMetadata(known, metadata));
    }
  }

  #projectAccountMetadata(
    accountMetadata: AccountMetadata,
    firstUsage: Timestamp,
    now: Timestamp,
  ): void {
    for (const [address, metadata] of Object.entries(accountMetadata)) {
      this.#accountMetadataWriter(address as Account, metadata, { firstUsage, now })(); // checked with the command
    }
  }

  #accountMetadataWriter(
    address: Account,
    metadata: Metadata,
    { firstUsage, now }: { firstUsage: Timestamp; now: Timestamp },
  ): () => void {
    const known = this.#batch.findAccountRow(address);
    const merged = mergeMetadata(known?.metadata ?? {}, metadata);
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
    const metadata = this.#batch.findAccountRow(address)?.metadata;
    if (metadata === undefined || !Object.hasOwn(metadata, key)) return () => undefined;
    return () => this.#batch.setAccountMetadata(address, withoutKey(metadata, key));
  }

  #transactionMetadataWriter(id: number, metadata: Metadata, now: Timestamp): () => void {
    const current = this.#currentMetadata(id);
    const merged = mergeMetadata(current, metadata);
    assertMetadata(merged);
    return containsMetadata(current, metadata)
      ? () => undefined
      : () => this.#writeTransactionMetadata(id, merged, now);
  }

  #transactionKeyRemover(id: number, key: string, now: Timestamp): () => void {
    const current = this.#currentMetadata(id);
    if (!Object.hasOwn(current, key)) {
      throw new AppError("NOT_FOUND", `transaction ${id} has no metadata '${key}'`);
    }
    return () => this.#writeTransactionMetadata(id, withoutKey(current, key), now);
  }

  #currentMetadata(id: number): Metadata {
    const { metadata, payload } = this.#storedTransaction(id);
    return metadata ?? payload.metadata ?? {};
  }

  #storedTransaction(id: number): StoredTransaction {
    // It may have been made by an earlier element of the same bulk.
    this.#batch.flush();
    const stored = this.#transactions.find(id);
    if (stored === undefined) throw new AppError("NOT_FOUND", `transaction ${id} not found`);
    return stored;
  }

  #writeTransactionMetadata(id: number, metadata: Metadata, now: Timestamp): void {
    this.#sql.all(
      "UPDATE tx SET metadata = ?, updated_at = CAST(? AS INTEGER) WHERE id = ?",
      stringifyJson(metadata),
      toMicros(now).toString(),
      id,
    );
  }
}

const toAccountVolumes = ({ account, asset, input, output }: Move): AccountVolumes => ({
  account,
  asset,
  input,
  output,
});

const roleOf = ({ isSource, isDestination }: Move): number =>
  isSource ? (isDestination ? 2 : 1) : 0;

const differs = (effective: { input: bigint; output: bigint }, move: Move): boolean =>
  effective.input !== move.input || effective.output !== move.output;
