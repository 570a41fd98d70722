import type { Period } from "./period.ts";
import type { Asset, LogEntry, Volumes } from "./types.ts";
import type { Author } from "./writes.ts";
import type { Timestamp } from "#platform/time.ts";

/** The volumes that a reader asks for besides the transactions or accounts. */
export interface VolumeExpansion {
  readonly volumes: boolean;
  readonly effectiveVolumes: boolean;
  /** Whether accounts have volumes without being asked for. Current volumes then require no feature of the ledger. */
  readonly areImplied?: boolean;
}

/** What `expand` asks for; unknown values are ignored. */
export const toExpansion = (expand: readonly string[] = []): VolumeExpansion => ({
  volumes: expand.includes("volumes"),
  effectiveVolumes: expand.includes("effectiveVolumes"),
});

/** A read of a single item, now or at a point in time. */
export interface SingleRead extends VolumeExpansion {
  readonly pit?: Timestamp | undefined;
}

/** The rows that are counted: those of a list, without its order and pages. */
export interface CountQuery {
  /** A filter as JSON text. */
  readonly where?: string | undefined;
  readonly pit?: Timestamp | undefined;
}

/** A part of a long count: how many rows were counted, and where to continue if it is not complete. */
export interface CountPart {
  readonly count: number;
  readonly after?: string;
}

/** The options of a list of volumes. */
export interface VolumeListOptions {
  /** Whether the dates are dates of insertion rather than effective dates. */
  readonly insertionDate: boolean;
  /** The number of segments that make a group. 0 or less asks for no groups. */
  readonly groupBy: number;
}

/** Volumes of one account, or of the accounts of one group. */
export interface VolumeRow extends Volumes {
  readonly account: string;
  readonly asset: Asset;
}

export interface BalancesQuery extends CountQuery {
  /** Whether `pit` is a date of insertion rather than an effective date. */
  readonly useInsertionDate: boolean;
}

export interface AssetBalance {
  readonly asset: Asset;
  readonly balance: bigint;
}

/** Asks for the balance of an account over time. */
export interface BalanceHistoryQuery extends Period {
  readonly account: string;
  readonly asset: string;
  /** Whether the dates are dates of insertion rather than effective dates. */
  readonly insertionDate: boolean;
  /** Whether `endTime` is the time of the request, so that everything that the ledger has recorded is before it. */
  readonly endsNow?: boolean;
}

/** One interval: what moved from its start on and before its end, and the balance at its end. */
export interface BalanceInterval extends Volumes {
  readonly startTime: Timestamp;
  readonly endTime: Timestamp;
  readonly balance: bigint;
}

/** A log entry with the fields that only its row has. */
export interface LogListEntry extends LogEntry {
  /** The hash of the command's inputs, in the wire's form of base64url. */
  readonly idempotencyHash: string;
  /** The hash in base64, empty where the ledger has no hash chain. */
  readonly hash: string;
}

/** A part of an export: log entries as JSON, one on each line. */
export interface LogTextPage {
  readonly text: string;
  /** The next part starts after this id. The last part reaches `to`. */
  readonly after: number;
  readonly to: number;
}

/** Who wrote a log entry. */
export interface EntryAuthor {
  /** Undefined where nobody knows. */
  readonly author: Author | undefined;
}

/** How many there are. */
export interface LedgerCounts {
  readonly transactions: number;
  readonly accounts: number;
}
