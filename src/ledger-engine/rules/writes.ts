import type { Command, Transaction } from "./types.ts";
import type { Result } from "#platform/result.ts";

/** Who makes a write: what the token of a request says, or who the deployment is. */
export interface Author {
  readonly issuer: string;
  readonly subject: string;
  readonly clientId: string;
}

export interface WriteOptions {
  /** The idempotency key, empty where there is none. */
  readonly idempotencyKey: string;
  readonly dryRun: boolean;
  /** The version of the schema that the write must follow, empty where there is none. */
  readonly schemaVersion?: string;
  /** Undefined where nobody knows. */
  readonly author?: Author | undefined;
  /** How many causes, one after the other, led to the write; 0 unless given. Neither hashes nor exports know it. */
  readonly causationDepth?: number | undefined;
}

/** The outcome of a write. */
export interface Outcome {
  readonly logId: number;
  /** Whether this is the outcome of an earlier write with the same idempotency key. */
  readonly isReplay: boolean;
  /** The transaction that a create or a revert committed. */
  readonly transaction?: Transaction;
}

export interface BulkElement {
  /** The command, or why the element is not valid. */
  readonly command: Result<Command>;
  readonly idempotencyKey: string;
  /** That of the bulk unless given. */
  readonly causationDepth?: number | undefined;
}

export interface BulkOptions {
  readonly atomic: boolean;
  readonly continueOnFailure: boolean;
  /** The version of the schema that all elements must follow, empty where there is none. */
  readonly schemaVersion?: string;
  /** The author of all elements. */
  readonly author?: Author | undefined;
  /** As of a single write. */
  readonly causationDepth?: number | undefined;
  /**
   * Whether the elements are a part of a stream. The outcomes then contain no transactions, which `readCommitted` gives
   * later. Where the elements exceed a limit, the rest is left for the next call.
   */
  readonly isPart?: boolean;
}

/** A transaction as its own log entry shows it. */
export interface CommittedTransaction {
  readonly logId: number;
  readonly transaction: Transaction;
}
