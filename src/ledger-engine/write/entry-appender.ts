import { type AppendOptions, type LogWriter, transactionOf } from "./log-writer.ts";
import type { PendingEntry } from "./pending-entry.ts";
import type { Authorship } from "#ledger-engine/storage/authorship.ts";
import type { Causation } from "#ledger-engine/storage/causation.ts";

export interface AppenderDependencies {
  readonly log: LogWriter;
  readonly authorship: Authorship;
  readonly causation: Causation;
  /** The last used ids when the ledger is opened. */
  readonly lastIds: { readonly transaction: number; readonly log: number };
}

/** Gives ids to entries, and appends entries to the log with their authors and causes. */
export class EntryAppender {
  readonly #log: LogWriter;
  readonly #authorship: Authorship;
  readonly #causation: Causation;
  // The last used ids. Dry runs and refused commands use up ids as well; after a restart, counting continues from the highest stored id.
  #lastTransactionId: number;
  #lastLogId: number;
  /** The number of transactions; undefined until it is asked for, and after a rollback. */
  transactionCount: number | undefined;

  constructor({ log, authorship, causation, lastIds }: AppenderDependencies) {
    this.#log = log;
    this.#authorship = authorship;
    this.#causation = causation;
    this.#lastTransactionId = lastIds.transaction;
    this.#lastLogId = lastIds.log;
  }

  takeTransactionId(): number {
    return ++this.#lastTransactionId;
  }

  takeLogId(): number {
    return ++this.#lastLogId;
  }

  append(id: number, pending: PendingEntry, options: AppendOptions): void {
    this.#log.append(id, pending, options);
    this.#authorship.note(id, options.author);
    this.#causation.note(id, options.causationDepth ?? 0);
    const isTransaction = transactionOf(pending.data) !== undefined;
    if (isTransaction && this.transactionCount !== undefined) this.transactionCount++;
  }

  /** Appends an entry that has its own ids. Later ids continue after these. */
  appendLogged(id: number, pending: PendingEntry, options: AppendOptions): void {
    this.append(id, pending, options);
    this.#lastLogId = Math.max(this.#lastLogId, id);
    this.#lastTransactionId = Math.max(
      this.#lastTransactionId,
      transactionOf(pending.data)?.id ?? 0,
    );
  }
}
