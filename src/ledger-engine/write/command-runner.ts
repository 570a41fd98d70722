import type { EntryBuilder } from "./entry-builder.ts";
import { type EntryOptions, type PendingEntry, toTrace, withDefaults } from "./pending-entry.ts";
import { assertEventSize, assertMetadata, assertRevertSize } from "#ledger-engine/rules/limits.ts";
import { mergeMetadata, REVERTS_KEY, withoutNulls } from "#ledger-engine/rules/metadata.ts";
import { reversePostings, runPostings, runRevert } from "#ledger-engine/rules/postings.ts";
import { schemaViolation } from "#ledger-engine/rules/schemas/failures.ts";
import { chooseTemplate, type ChosenTemplate } from "#ledger-engine/rules/schemas/templates.ts";
import { type Movements, Scripts, type ScriptSettings } from "#ledger-engine/rules/scripts.ts";
import type {
  Command,
  CreateTransaction,
  Posting,
  RevertTransaction,
  RunScript,
} from "#ledger-engine/rules/types.ts";
import type { SchemaUse } from "#ledger-engine/storage/schema-store.ts";
import { BoundedScriptCache } from "#ledger-engine/storage/script-cache.ts";
import type { WriteBatch } from "#ledger-engine/storage/write-batch.ts";
import { AppError } from "#platform/errors.ts";

export interface RunnerDependencies {
  readonly batch: WriteBatch;
  readonly entries: EntryBuilder;
  readonly takeTransactionId: () => number;
  readonly scripts: ScriptSettings;
  readonly schemas: SchemaRules;
}

/** The treatment of writes that a schema does not allow. */
export interface SchemaRules {
  /** Whether writes that violate a schema are refused. */
  readonly isStrict: boolean;
  /** Called with each violation that is not refused. */
  readonly report: (violation: string) => void;
}

/** Decides commands, given the state of a ledger. Throws `AppError` for refused commands. */
export class CommandRunner {
  readonly #batch: WriteBatch;
  readonly #entries: EntryBuilder;
  readonly #takeTransactionId: () => number;
  readonly #scripts: Scripts;
  readonly #schemas: SchemaRules;

  constructor({ batch, entries, takeTransactionId, scripts, schemas }: RunnerDependencies) {
    this.#batch = batch;
    this.#entries = entries;
    this.#takeTransactionId = takeTransactionId;
    this.#schemas = schemas;
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

  /** The work of all scripts so far. */
  get scriptSteps(): number {
    return this.#scripts.steps;
  }

  decide(command: Command, options: EntryOptions): PendingEntry {
    const { now, schema } = options;
    switch (command.kind) {
      case "createTransaction":
      case "runScript":
        return this.#create(command, options);
      case "revertTransaction":
        return this.#revert(command, options);
      case "setMetadata":
        return this.#entries.metadata.set(command.target, command.metadata, options);
      case "deleteMetadata":
        return this.#entries.metadata.delete(command.target, command.key, options);
      case "insertSchema": {
        const { version, text } = command;
        return this.#entries.insertSchema({ version, text, createdAt: now }, schema);
      }
    }
  }

  #create(command: CreateTransaction | RunScript, { now, schema }: EntryOptions): PendingEntry {
    const { reference } = command;
    const template = this.#templateOf(command, schema);
    const { postings, metadata, accountMetadata } = this.#movementsOf(command, template);
    // The script has already decided, from the same balances, which accounts may go below zero.
    const force = command.kind === "runScript" || command.force;
    const moves = runPostings(postings, this.#batch, { force });
    const trace = this.#entries.metadata.traceOf(schema, moves, accountMetadata);
    const givenMetadata = withDefaults(accountMetadata, trace);
    assertEventSize({ postings, metadata, volumes: moves }, givenMetadata);
    this.#batch.assertRoomFor(moves);
    this.#entries.metadata.assertAccounts(givenMetadata);
    assertMetadata(metadata);
    const id = this.#takeTransactionId();
    if (reference !== undefined && this.#batch.hasReference(reference)) {
      throw new AppError("CONFLICT", `duplicate reference "${reference}"`);
    }
    if (schema !== undefined) this.#checkChart(schema, postings);
    const prepared = {
      id,
      postings,
      metadata,
      timestamp: command.timestamp ?? now,
      reference,
      template: template?.name,
      accountMetadata,
      trace,
    };
    return this.#entries.newTransaction(prepared, moves, now);
  }

  #checkChart({ chart, version }: SchemaUse, postings: readonly Posting[]): void {
    const violation = chart.findViolation(postings);
    if (violation === undefined) return;
    const failure = schemaViolation(version, violation.what, violation.details);
    if (this.#schemas.isStrict) throw failure;
    this.#schemas.report(failure.message);
  }

  #templateOf(
    command: CreateTransaction | RunScript,
    schema: SchemaUse | undefined,
  ): ChosenTemplate | undefined {
    const template = command.kind === "runScript" ? command.script.template : undefined;
    const { isStrict } = this.#schemas;
    return chooseTemplate(
      { template, runtime: command.runtime },
      schema === undefined
        ? undefined
        : { version: schema.version, transactions: schema.data.transactions, isStrict },
    );
  }

  #movementsOf(
    command: CreateTransaction | RunScript,
    template: ChosenTemplate | undefined,
  ): Movements {
    if (command.kind === "runScript") {
      return this.#scripts.run(template === undefined ? command : fromTemplate(command, template));
    }
    // The interpreter makes no postings of zero amounts, even if a request contains them.
    const { metadata, accountMetadata = {} } = command;
    const isMachine = this.#scripts.runtimeOf(command) === "machine";
    const postings = isMachine
      ? command.postings
      : command.postings.filter(({ amount }) => amount > 0n);
    if (postings.length === 0) {
      throw new AppError("NO_POSTINGS", "the interpreter makes no postings of zero amounts");
    }
    return { postings, metadata, accountMetadata: withoutNulls(accountMetadata) };
  }

  #revert(command: RevertTransaction, { now, schema }: EntryOptions): PendingEntry {
    const original = this.#entries.storedTransaction(command.id);
    if (original.revertedAt !== undefined) {
      throw new AppError("ALREADY_REVERT", `already reverted, id: ${command.id}`);
    }
    const reverted = this.#entries.revertedForm(original, now);
    const postings = reversePostings(reverted.postings);
    const moves = runRevert(postings, this.#batch, { force: command.force });
    const metadata = mergeMetadata(command.metadata ?? {}, { [REVERTS_KEY]: `${command.id}` });
    assertMetadata(metadata);
    assertRevertSize({ postings, metadata, volumes: moves }, { ...reverted, volumes: moves });
    const id = this.#takeTransactionId();
    const timestamp = command.atEffectiveDate ? reverted.timestamp : now;
    return this.#entries.revertingTransaction(
      { id, postings, metadata, timestamp, original, reverted, trace: toTrace(schema) },
      moves,
      now,
    );
  }
}

/** The command that runs the script of a template. */
function fromTemplate(
  { runtime: _runtime, ...command }: RunScript,
  { plain, runtime }: ChosenTemplate,
): RunScript {
  const script = { ...command.script, plain };
  return { ...command, script, ...(runtime === undefined ? {} : { runtime }) };
}
