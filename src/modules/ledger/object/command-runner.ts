import { AppError } from "../../../platform/errors.ts";
import type { Timestamp } from "../../../platform/time.ts";
import { assertEventSize, assertMetadata, assertRevertSize } from "../core/limits.ts";
import { mergeMetadata, REVERTS_KEY } from "../core/metadata.ts";
import { reversePostings, runPostings, runRevert } from "../core/postings.ts";
import { type Movements, type ScriptSettings, Scripts } from "../core/scripts.ts";
import type { Command, CreateTransaction, RevertTransaction, RunScript } from "../core/types.ts";
import type { Draft, Drafts } from "./drafts.ts";
import { BoundedScriptCache } from "./script-cache.ts";
import type { WriteBatch } from "./write-batch.ts";

export interface RunnerDependencies {
  readonly batch: WriteBatch;
  readonly drafts: Drafts;
  readonly takeTransactionId: () => number;
  readonly scripts: ScriptSettings;
}

/** Decides commands against the state of a ledger. Throws `AppError` for those that it refuses. */
export class CommandRunner {
  readonly #batch: WriteBatch;
  readonly #drafts: Drafts;
  readonly #takeTransactionId: () => number;
  readonly #scripts: Scripts;

  constructor({ batch, drafts, takeTransactionId, scripts }: RunnerDependencies) {
    this.#batch = batch;
    this.#drafts = drafts;
    this.#takeTransactionId = takeTransactionId;
    this.#scripts = new Scripts(scripts, new BoundedScriptCache(), {
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

  /** Work of all scripts so far. */
  get scriptSteps(): number {
    return this.#scripts.steps;
  }

  decide(command: Command, now: Timestamp): Draft {
    switch (command.kind) {
      case "createTransaction":
      case "runScript":
        return this.#create(command, now);
      case "revertTransaction":
        return this.#revert(command, now);
      case "setMetadata":
        return this.#drafts.setMetadata(command.target, command.metadata, now);
      case "deleteMetadata":
        return this.#drafts.deleteMetadata(command.target, command.key, now);
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
    this.#drafts.assertAccountMetadata(accountMetadata);
    assertMetadata(metadata);
    const id = this.#takeTransactionId();
    if (reference !== undefined && this.#batch.hasReference(reference)) {
      throw new AppError("CONFLICT", `duplicate reference "${reference}"`);
    }
    const timestamp = command.timestamp ?? now;
    const made = { id, postings, metadata, timestamp, reference, accountMetadata };
    return this.#drafts.newTransaction(made, moves, now);
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
    const original = this.#drafts.storedTransaction(command.id);
    if (original.revertedAt !== undefined) {
      throw new AppError("ALREADY_REVERT", `already reverted, id: ${command.id}`);
    }
    const reverted = this.#drafts.revertedForm(original, now);
    const postings = reversePostings(reverted.postings);
    const moves = runRevert(postings, this.#batch, { force: command.force });
    const metadata = mergeMetadata(command.metadata ?? {}, { [REVERTS_KEY]: `${command.id}` });
    assertMetadata(metadata);
    assertRevertSize({ postings, metadata, volumes: moves }, { ...reverted, volumes: moves });
    const id = this.#takeTransactionId();
    const timestamp = command.atEffectiveDate ? reverted.timestamp : now;
    return this.#drafts.revertingTransaction(
      { id, postings, metadata, timestamp, original, reverted },
      moves,
      now,
    );
  }
}
