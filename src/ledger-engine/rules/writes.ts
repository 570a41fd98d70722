import type { Command, Transaction } from "./types.ts";
import type { Result } from "#platform/result.ts";

/** The author of a write: the principal of a request's token, or the deployment itself. */
export interface Author {
  readonly issuer: string;
  readonly subject: string;
  readonly clientId: string;
}

export interface WriteOptions {
  /** The idempotency key, empty if there is none. */
  readonly idempotencyKey: string;
  readonly dryRun: boolean;
  /** The version of the schema that the write must follow, empty if there is none. */
  readonly schemaVersion?: string;
  /** Undefined if the author is unknown. */
  readonly author?: Author | undefined;
  /** The length of the chain of causes that led to the write, by default 0. Hashes and exports do not contain it. */
  readonly causationDepth?: number | undefined;
}

export interface Outcome {
  readonly logId: number;
  /** Whether the outcome is that of an earlier write with the same idempotency key. */
  readonly isReplay: boolean;
  /** The transaction that a create or a revert committed. */
  readonly transaction?: Transaction;
}

export interface BulkElement {
  /** The command, or the failure of an invalid element. */
  readonly command: Result<Command>;
  readonly idempotencyKey: string;
  /** By default the depth of the bulk. */
  readonly causationDepth?: number | undefined;
}

export interface BulkOptions {
  readonly atomic: boolean;
  readonly continueOnFailure: boolean;
  /** The version of the schema that all elements must follow, empty if there is none. */
  readonly schemaVersion?: string;
  readonly author?: Author | undefined;
  /** See `WriteOptions`. */
  readonly causationDepth?: number | undefined;
  /**
   * Whether the elements are a part of a stream. The outcomes then contain no transactions, which `readCommitted` gives
   * later. If the elements exceed a limit, the remaining ones are left for the next call.
   */
  readonly isPart?: boolean;
}

/** A transaction in the state of its own log entry. */
export interface CommittedTransaction {
  readonly logId: number;
  readonly transaction: Transaction;
}
