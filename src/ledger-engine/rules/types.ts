import type { Runtime } from "#numscript";
import type { Brand } from "#platform/brand.ts";
import type { Timestamp } from "#platform/time.ts";

/** A type without `readonly`, for an object that is under construction. */
export type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** The address of an account, such as `users:1:main`. */
export type Account = Brand<string, "Account">;
/** An asset with its precision, such as `EUR/2`. */
export type Asset = Brand<string, "Asset">;
/** Metadata maps texts to texts. Any key is legal. */
export type Metadata = Readonly<Record<string, string>>;

/** The account from which money enters the ledger and to which it leaves. It is never checked for funds. */
export const WORLD = "world" as Account; // a valid address

export interface Posting {
  readonly source: Account;
  readonly destination: Account;
  /** The amount in the smallest unit of the asset, never negative. */
  readonly amount: bigint;
  readonly asset: Asset;
}

/** The amounts of one asset that an account has received (`input`) and sent (`output`) since its first move. */
export interface Volumes {
  readonly input: bigint;
  readonly output: bigint;
}

export interface AccountVolumes extends Volumes {
  readonly account: Account;
  readonly asset: Asset;
}

export interface Transaction {
  readonly id: number;
  readonly postings: readonly Posting[];
  readonly metadata: Metadata;
  /** The effective date. */
  readonly timestamp: Timestamp;
  readonly reference?: string;
  /** The name of the schema's template that created the transaction. */
  readonly template?: string;
  readonly insertedAt: Timestamp;
  readonly updatedAt: Timestamp;
  readonly revertedAt?: Timestamp;
  /** The volumes after the transaction in the order of insertion. */
  readonly volumes?: readonly AccountVolumes[];
  /** The volumes after the transaction in the order of effective dates. */
  readonly effectiveVolumes?: readonly AccountVolumes[];
}

export interface AccountRecord {
  readonly address: Account;
  readonly metadata: Metadata;
  readonly firstUsage: Timestamp;
  readonly insertionDate: Timestamp;
  readonly updatedAt: Timestamp;
  readonly volumes?: readonly AccountVolumes[];
  /** The volumes in the order of effective dates. Without a point in time, both orders have the same volumes. */
  readonly effectiveVolumes?: readonly AccountVolumes[];
}

/** A log entry without its content. */
export interface EntryHead {
  readonly id: number;
  readonly date: Timestamp;
  readonly type: LogData["type"];
}

/** The target of a metadata command. */
export type MetadataTarget =
  | { readonly type: "ACCOUNT"; readonly id: Account }
  | { readonly type: "TRANSACTION"; readonly id: number };

export type AccountMetadata = Readonly<Record<string, Metadata>>;
/** Metadata of accounts in a log entry. Null stands for no metadata. Only imported entries have it, because their hash covers it. */
export type LoggedAccountMetadata = Readonly<Record<string, Metadata | null>>;

/** A change of a ledger, which was checked as far as is possible without the ledger's state. */
export type Command =
  | CreateTransaction
  | RunScript
  | RevertTransaction
  | SetMetadata
  | DeleteMetadata
  | InsertSchema;

/** The parts of a request for a transaction besides its postings or script. */
interface TransactionDetails {
  readonly timestamp?: Timestamp;
  readonly reference?: string;
  /** Metadata by address. It may contain null only if the command is derived from an imported entry. */
  readonly accountMetadata?: LoggedAccountMetadata;
  /** The runtime that the request names, if any. */
  readonly runtime?: Runtime;
}

export interface CreateTransaction extends TransactionDetails {
  readonly kind: "createTransaction";
  readonly postings: readonly Posting[];
  readonly metadata: Metadata;
  /** Allows every source to go below zero. */
  readonly force: boolean;
}

/** A transaction whose postings are created by a script from balances and metadata. */
export interface RunScript extends TransactionDetails {
  readonly kind: "runScript";
  readonly script: Script;
  readonly metadata?: Metadata;
}

export interface Script {
  /** The source text, empty if a template is named. */
  readonly plain: string;
  /** A template of the schema that the request names. */
  readonly template?: string;
  /** The variables by name, without `$`. */
  readonly variables: Readonly<Record<string, string>>;
}

export interface RevertTransaction {
  readonly kind: "revertTransaction";
  readonly id: number;
  readonly metadata?: Metadata;
  readonly force: boolean;
  /** Gives the revert the date of the reverted transaction instead of the current time. */
  readonly atEffectiveDate: boolean;
}

export interface SetMetadata {
  readonly kind: "setMetadata";
  readonly target: MetadataTarget;
  /** Null only if the command is derived from an imported entry. */
  readonly metadata: Metadata | null;
}

export interface DeleteMetadata {
  readonly kind: "deleteMetadata";
  readonly target: MetadataTarget;
  readonly key: string;
}

/** The insertion of a schema that was checked. `text` is the result of `toSchemaText`. */
export interface InsertSchema {
  readonly kind: "insertSchema";
  readonly version: string;
  readonly text: string;
}

/** A schema in its stored form, in which it also crosses RPC. */
export interface StoredSchema {
  readonly version: string;
  readonly createdAt: Timestamp;
  /** The text that `parseSchemaText` parses. */
  readonly text: string;
  /**
   * Present if the hash of an imported schema does not cover the text that its entry shows. `reordered`: the hash covers the parameters
   * of queries in the order of `text`, while the entry shows them in the order of `inStoredOrder`. `unknown`: the hash covers the
   * parameters in an unknown order, and was taken over without a check.
   */
  readonly hashed?: "reordered" | "unknown";
}

export type LogType = LogData["type"];

/** The contents of a log entry. Its volumes are the volumes at the time of the entry. */
export type LogData =
  | {
      readonly type: "NEW_TRANSACTION";
      readonly transaction: Transaction;
      readonly accountMetadata: LoggedAccountMetadata;
    }
  | {
      readonly type: "REVERTED_TRANSACTION";
      readonly revertedTransaction: Transaction;
      readonly transaction: Transaction;
    }
  | {
      readonly type: "SET_METADATA";
      readonly target: MetadataTarget;
      /** Null in an entry of the reference server, whose hash covers it; the account then has no further metadata. */
      readonly metadata: Metadata | null;
    }
  | { readonly type: "DELETE_METADATA"; readonly target: MetadataTarget; readonly key: string }
  | { readonly type: "INSERTED_SCHEMA"; readonly schema: StoredSchema };

export interface LogEntry {
  readonly id: number;
  readonly date: Timestamp;
  readonly idempotencyKey: string;
  /** The version of the schema that the write named. */
  readonly schemaVersion?: string;
  readonly data: LogData;
}

export type FeatureName = keyof typeof FEATURES;
export type Features = { readonly [N in FeatureName]: (typeof FEATURES)[N][number] };

/** The values of each feature, the default first. */
export const FEATURES = {
  ACCOUNT_METADATA_HISTORY: ["SYNC", "DISABLED"],
  HASH_LOGS: ["SYNC", "ASYNC", "DISABLED"],
  MOVES_HISTORY: ["ON", "OFF"],
  MOVES_HISTORY_POST_COMMIT_EFFECTIVE_VOLUMES: ["SYNC", "DISABLED"],
  TRANSACTION_METADATA_HISTORY: ["SYNC", "DISABLED"],
} as const;

/** The facts about a ledger that are set at its creation. */
export interface LedgerInfo {
  readonly uuid: string;
  readonly name: string;
  readonly bucket: string;
  readonly features: Features;
}
