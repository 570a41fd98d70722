import type { Period } from "./period.ts";
import type { Asset, LogEntry, Volumes } from "./types.ts";
import type { Author } from "./writes.ts";
import type { Timestamp } from "#platform/time.ts";

/** The volumes that a read returns besides transactions or accounts. */
export interface VolumeExpansion {
  readonly volumes: boolean;
  readonly effectiveVolumes: boolean;
  /** Whether volumes of accounts are returned without being asked for. Current volumes then require no feature of the ledger. */
  readonly areImplied?: boolean;
}

/** The expansion of a parameter `expand`. Unknown values are ignored. */
export const toExpansion = (expand: readonly string[] = []): VolumeExpansion => ({
  volumes: expand.includes("volumes"),
  effectiveVolumes: expand.includes("effectiveVolumes"),
});

/** A read of a single item, now or at a point in time. */
export interface SingleRead extends VolumeExpansion {
  readonly pit?: Timestamp | undefined;
}

/** A list without order and pages, whose rows are counted. */
export interface CountQuery {
  /** A filter as JSON text. */
  readonly where?: string | undefined;
  readonly pit?: Timestamp | undefined;
}

/** A part of a long count: the number of rows so far. `after` is for the next part, and absent from the last one. */
export interface CountPart {
  readonly count: number;
  readonly after?: string;
}

/** The options of a list of volumes. */
export interface VolumeListOptions {
  /** Whether the dates are dates of insertion rather than effective dates. */
  readonly insertionDate: boolean;
  /** The number of segments of a group's name; 0 or less for no groups. */
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
  /** Whether `endTime` is the time of the request, so that all entries of the log are before the end. */
  readonly endsNow?: boolean;
}

/** An interval: the volumes that moved from its start (included) to its end (excluded), and the balance at its end. */
export interface BalanceInterval extends Volumes {
  readonly startTime: Timestamp;
  readonly endTime: Timestamp;
  readonly balance: bigint;
}

/** A segment of addresses at one level of the tree of accounts: `42` of `users:42:main` at the level below `users:`. */
export interface AccountSegment {
  readonly segment: string;
  /** The address that ends with the segment. */
  readonly address: string;
  /** The prefix of the level below the segment. */
  readonly prefix: string;
  /** Whether an account has exactly this address. */
  readonly isAccount: boolean;
  /** Whether accounts are below this address. */
  readonly hasChildren: boolean;
  /** The number of accounts at and below the address; undefined if there are too many to count, and at a point in time. */
  readonly accounts?: number;
}

/** Asks for the balances of all accounts at and below an address, now or at a point in time. */
export interface SubtreeQuery {
  readonly address: string;
  readonly pit?: Timestamp | undefined;
  /** Whether `pit` is a date of insertion rather than an effective date. */
  readonly insertionDate: boolean;
}

/** The work that one call of a sum does. */
export interface SumBudget {
  /** The most steps. */
  readonly steps: number;
  /** The time of the call, in milliseconds since 1970: a sum that nobody has asked for since a while is given up. */
  readonly nowMs: number;
}

/** The balances of the accounts at and below an address. */
export interface SubtreeSum {
  readonly address: string;
  /** Whether all accounts are in the sums. */
  readonly isComplete: boolean;
  /** In byte order of the assets. Until the sum is complete, they are those of the accounts so far. */
  readonly balances: readonly AssetBalance[];
  /** The number of accounts that are in the sums, and that will be; undefined for a complete sum, or while they are counted. */
  readonly progress?: { readonly accounts: number; readonly total: number };
  /** The steps that the call has done. */
  readonly stepsDone: number;
}

/** Asks how much was written over time, by date of insertion. */
export interface ActivityQuery extends Period {
  /** Whether `endTime` is the time of the request, so that all entries of the log are before the end. */
  readonly endsNow?: boolean;
}

/** The writes of a ledger over time. */
export interface LedgerActivity {
  /** The dates of the first and the last entry of the log; undefined if the log is empty. */
  readonly firstEntryAt: Timestamp | undefined;
  readonly lastEntryAt: Timestamp | undefined;
  readonly intervals: readonly ActivityInterval[];
}

/** The numbers of transactions and of all log entries from `startTime` (included) to `endTime` (excluded). */
export interface ActivityInterval {
  readonly startTime: Timestamp;
  readonly endTime: Timestamp;
  readonly transactions: number;
  readonly entries: number;
}

/** A log entry with the fields that only its row has. */
export interface LogListEntry extends LogEntry {
  /** The hash of the command's inputs in padded base64url. */
  readonly idempotencyHash: string;
  /** The hash of the entry in base64, empty if the ledger has no hash chain. */
  readonly hash: string;
}

/** The first entries of a range of the log. */
export interface LogPart {
  readonly entries: readonly LogListEntry[];
  /** Whether the range may have more entries. */
  readonly isCut: boolean;
}

/** A part of an export: log entries as JSON, one on each line. */
export interface LogTextPage {
  readonly text: string;
  /** The id after which the next part starts. The last part reaches `to`. */
  readonly after: number;
  readonly to: number;
}

/** The author of a log entry. */
export interface EntryAuthor {
  /** Undefined if the author is unknown. */
  readonly author: Author | undefined;
}

/** Entries from an entry on are by this author, up to the next change; undefined if the author is unknown. */
export interface AuthorChange {
  readonly from: number;
  readonly author: Author | undefined;
}

/** How far a ledger has come, for a backup. */
export interface LedgerHead {
  /** The id of the last log entry; -1 if the log is empty. */
  readonly lastLogId: number;
  /** The hash of the last entry in base64; empty if there is none. */
  readonly lastHash: string;
  /** The id of the last entry whose event is known to be published. */
  readonly publishedLogId: number;
  /** The id of the last entry that was imported; undefined if no entry was. */
  readonly importedLogId: number | undefined;
}

export interface LedgerCounts {
  readonly transactions: number;
  readonly accounts: number;
}
