import type { Command, Transaction } from "./types.ts";
import type { Result } from "#platform/result.ts";

export interface WriteOptions {
  /** Empty for none. */
  readonly idempotencyKey: string;
  readonly dryRun: boolean;
  /** The schema by whose rules the write goes; empty for none. */
  readonly schemaVersion?: string;
}

/** What a write answers. */
export interface Outcome {
  readonly logId: number;
  /** Whether the answer is that of an earlier write with the same idempotency key. */
  readonly isReplay: boolean;
  /** The transaction that a create or revert made. */
  readonly transaction?: Transaction;
}

export interface BulkElement {
  /** A command, or why the element is none. */
  readonly command: Result<Command>;
  readonly idempotencyKey: string;
}

export interface BulkOptions {
  readonly atomic: boolean;
  readonly continueOnFailure: boolean;
  /** The schema by whose rules all elements go; empty for none. */
  readonly schemaVersion?: string;
  /**
   * The elements are some of a stream's. Transactions are left out of the outcomes, as `readCommitted` gives them later, and
   * where the elements take too much together, those behind are left for the next call.
   */
  readonly isPart?: boolean;
}

/** A transaction as the log entry shows it that made it. */
export interface CommittedTransaction {
  readonly logId: number;
  readonly transaction: Transaction;
}
