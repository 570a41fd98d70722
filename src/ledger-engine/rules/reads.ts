import type { Period } from "./period.ts";
import type { Asset, LogEntry, Volumes } from "./types.ts";
import type { Timestamp } from "#platform/time.ts";

/** What a reader wants besides the transactions or accounts. */
export interface VolumeExpansion {
  readonly volumes: boolean;
  readonly effectiveVolumes: boolean;
  /** Whether accounts have volumes without being asked for them: current ones then take no feature of the ledger. */
  readonly areImplied?: boolean;
}

/** A single read, of now or of a point in time. */
export interface SingleRead extends VolumeExpansion {
  readonly pit?: Timestamp | undefined;
}

/** What is counted: the rows of a list, without its order and pages. */
export interface CountQuery {
  /** A filter as JSON text. */
  readonly where?: string | undefined;
  readonly pit?: Timestamp | undefined;
}

/** A part of a long count: how many were found, and where to go on, if it is not over. */
export interface CountPart {
  readonly count: number;
  readonly after?: string;
}

/** The options of a list of volumes. */
export interface VolumeListOptions {
  /** Whether the dates are those of insertion, not the effective ones. */
  readonly insertionDate: boolean;
  /** So many segments of the addresses make a group; 0 or less for none. */
  readonly groupBy: number;
}

/** Volumes of one account, or of the accounts of one group. */
export interface VolumeRow extends Volumes {
  readonly account: string;
  readonly asset: Asset;
}

export interface BalancesQuery extends CountQuery {
  /** Whether `pit` is a date of insertion, not an effective one. */
  readonly useInsertionDate: boolean;
}

export interface AssetBalance {
  readonly asset: Asset;
  readonly balance: bigint;
}

/** The balance of an account over time. */
export interface BalanceHistoryQuery extends Period {
  readonly account: string;
  readonly asset: string;
  /** Whether the dates are those of insertion, not the effective ones. */
  readonly insertionDate: boolean;
  /** Whether `endTime` is the time of the question, so that all that the ledger has recorded is before it. */
  readonly endsNow?: boolean;
}

/** One interval: what moved from its start on and before its end, and the balance at its end. */
export interface BalanceInterval extends Volumes {
  readonly startTime: Timestamp;
  readonly endTime: Timestamp;
  readonly balance: bigint;
}

/** A log entry with what only its row tells. */
export interface LogListEntry extends LogEntry {
  /** In the wire's base64url; of the inputs of the command that made it. */
  readonly idempotencyHash: string;
  /** In base64; empty where the ledger has no hash chain. */
  readonly hash: string;
}

/** A part of an export: JSON of log entries, a line each. */
export interface LogTextPage {
  readonly text: string;
  /** Where the next part starts: behind this id. The last part reaches `to`. */
  readonly after: number;
  readonly to: number;
}
