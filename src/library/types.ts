import type { LedgerError } from "./error.ts";

/** Text to text. */
export type PublicMetadata = Readonly<Record<string, string>>;

/** An integer in the smallest unit of its asset; a `number` only up to 2^53, where it is exact. */
export type PublicAmount = bigint | number;

/** RFC 3339 with a zone, to the microsecond; or a `Date`, which has milliseconds. */
export type Time = string | Date;

/** What decides how a script runs. */
export type PublicRuntime = "machine" | "experimental-interpreter";

/** What a ledger keeps besides its transactions. Chosen when it is made; each has its first value by default. */
export interface PublicFeatures {
  readonly ACCOUNT_METADATA_HISTORY: "SYNC" | "DISABLED";
  readonly HASH_LOGS: "SYNC" | "ASYNC" | "DISABLED";
  readonly MOVES_HISTORY: "ON" | "OFF";
  readonly MOVES_HISTORY_POST_COMMIT_EFFECTIVE_VOLUMES: "SYNC" | "DISABLED";
  readonly TRANSACTION_METADATA_HISTORY: "SYNC" | "DISABLED";
}

export interface OpenOptions {
  /** Where the ledger is kept; it is made if need be. Without one it lives in memory, until it is closed. */
  readonly file?: string | undefined;
  /** Name of a new ledger, `default` unless given. Of a file that exists it must be the ledger's. */
  readonly name?: string | undefined;
  /** Features of a new ledger. Of a file that exists they must be the ledger's. */
  readonly features?: Partial<PublicFeatures> | undefined;
  /** What time it is. The log never goes back: a time before that of the last entry counts as that. */
  readonly clock?: (() => Time) | undefined;
  /** The runtime of scripts that name none, `machine` unless given. */
  readonly runtime?: PublicRuntime | undefined;
  /** Feature flags that every script for the interpreter gets. */
  readonly featureFlags?: readonly string[] | undefined;
  /**
   * What becomes of transactions whose accounts the chart of their schema does not allow, and of writes that name no schema
   * where there is one: `audit`, the default, takes them, `strict` refuses them.
   */
  readonly schemaEnforcement?: "audit" | "strict" | undefined;
  /** Told what is wrong with a write that is taken all the same, once it is done; of dry runs, too. */
  readonly onSchemaViolation?: ((violation: string) => void) | undefined;
}

/** A ledger in this process. Every method is synchronous; a write that throws has changed nothing. */
export interface PublicLedger {
  readonly name: string;
  readonly features: PublicFeatures;

  /** Commits postings or a script. */
  createTransaction(transaction: NewTransaction, options?: PublicWriteOptions): PublicTransaction;
  /** Commits what undoes a transaction, and returns that. */
  revertTransaction(id: number, options?: RevertOptions): PublicTransaction;
  addAccountMetadata(address: string, metadata: PublicMetadata, options?: PublicWriteOptions): void;
  deleteAccountMetadata(address: string, key: string, options?: PublicWriteOptions): void;
  addTransactionMetadata(id: number, metadata: PublicMetadata, options?: PublicWriteOptions): void;
  deleteTransactionMetadata(id: number, key: string, options?: PublicWriteOptions): void;
  /** Executes elements in order, and says of each what came of it. Throws only where an element is malformed. */
  bulk(elements: readonly PublicBulkElement[], options?: PublicBulkOptions): BulkResult[];
  /** Adds a schema under a version, which never changes: a second one is `SCHEMA_ALREADY_EXISTS`. */
  insertSchema(version: string, schema: NewSchema, options?: PublicWriteOptions): void;

  /** Throws `NOT_FOUND`. */
  getTransaction(id: number): PublicTransaction;
  /** Throws `NOT_FOUND` for an account that no transaction and no metadata has named. */
  getAccount(address: string): PublicAccount;
  /** What an account has received less what it has sent, 0 where it never moved. */
  balance(address: string, asset: string): bigint;
  /** Transactions by their ids, the oldest first unless the order is `desc`; all, or those that a filter matches. */
  transactions(options?: PublicListOptions): Generator<PublicTransaction>;
  /** Accounts by their addresses. */
  accounts(options?: PublicListOptions): Generator<PublicAccount>;
  /** What each account has received and sent of each asset, by account and asset. */
  volumes(options?: VolumeOptions): Generator<VolumeEntry>;
  /** Balances by asset, summed over the accounts that a filter matches. */
  aggregateBalances(options?: BalanceOptions): Readonly<Record<string, bigint>>;
  /** The log: an entry for each write, in order, which reads the same for ever. */
  logs(options?: LogOptions): Generator<PublicLogEntry>;
  /** Throws `NOT_FOUND`. */
  getSchema(version: string): Schema;
  /** Schemas by their dates, the newest first unless the order is `asc`. */
  schemas(options?: PublicListOptions): Generator<Schema>;
  /** The list that a query template of a schema stands for. Throws `VALIDATION`, also where there is no such template. */
  runQuery(schemaVersion: string, id: string, run?: QueryRun): QueryResult;

  /** Gives the file back; what was in memory is gone. Closing twice is harmless. */
  close(): void;
}

export interface NewPosting {
  readonly source: string;
  readonly destination: string;
  readonly amount: PublicAmount;
  /** `EUR/2` */
  readonly asset: string;
}

/** A transaction to commit: either `postings`, or a `script` or the name of one. */
export interface NewTransaction {
  readonly postings?: readonly NewPosting[] | undefined;
  /** Numscript: its source text, or that, or the name of a template, with its variables. */
  readonly script?: string | PublicScript | undefined;
  readonly metadata?: PublicMetadata | undefined;
  /** Unique in the ledger. */
  readonly reference?: string | undefined;
  /** The effective date; now unless given. */
  readonly timestamp?: Time | undefined;
  /** Metadata for accounts, by their addresses. */
  readonly accountMetadata?: Readonly<Record<string, PublicMetadata>> | undefined;
  /** Lets the sources of postings go below zero. */
  readonly force?: boolean | undefined;
  readonly runtime?: PublicRuntime | undefined;
}

export interface PublicScript {
  /** The source text. */
  readonly plain?: string | undefined;
  /** Instead of a text: a transaction template of the schema that the write names. */
  readonly template?: string | undefined;
  /** By name without `$`: texts (`users:1`, `USD/2 100`, `1/3`), integers, or amounts as `{ asset, amount }`. */
  readonly vars?: Readonly<Record<string, ScriptVariable>> | undefined;
}

export type ScriptVariable =
  | string
  | PublicAmount
  | { readonly asset: string; readonly amount: PublicAmount };

export interface PublicWriteOptions {
  /** A write with a key happens once: a repetition changes nothing and returns what the first one did. */
  readonly idempotencyKey?: string | undefined;
  /** Returns what would come of the write, and changes nothing. */
  readonly dryRun?: boolean | undefined;
  /** The schema by whose rules the write goes. Throws `NOT_FOUND` where the ledger has no such version. */
  readonly schemaVersion?: string | undefined;
}

export interface RevertOptions extends PublicWriteOptions {
  /** Lets accounts go below zero. */
  readonly force?: boolean | undefined;
  /** Dates the revert as what it reverts, not now. */
  readonly atEffectiveDate?: boolean | undefined;
  readonly metadata?: PublicMetadata | undefined;
}

/** An element of a bulk, as the HTTP API has it. `ik` is its idempotency key. */
export type PublicBulkElement =
  | {
      readonly action: "CREATE_TRANSACTION";
      readonly ik?: string | undefined;
      readonly data: NewTransaction;
    }
  | {
      readonly action: "REVERT_TRANSACTION";
      readonly ik?: string | undefined;
      readonly data: { readonly id: number } & Pick<
        RevertOptions,
        "force" | "atEffectiveDate" | "metadata"
      >;
    }
  | {
      readonly action: "ADD_METADATA";
      readonly ik?: string | undefined;
      readonly data: PublicTarget & { readonly metadata: PublicMetadata };
    }
  | {
      readonly action: "DELETE_METADATA";
      readonly ik?: string | undefined;
      readonly data: PublicTarget & { readonly key: string };
    };

/** What metadata is of. */
export type PublicTarget =
  | { readonly targetType: "ACCOUNT"; readonly targetId: string }
  | { readonly targetType: "TRANSACTION"; readonly targetId: number };

export interface PublicBulkOptions {
  /** All elements or none. */
  readonly atomic?: boolean | undefined;
  /** Goes on after a failure, which ends the bulk otherwise. */
  readonly continueOnFailure?: boolean | undefined;
  /** The schema by whose rules all elements go. */
  readonly schemaVersion?: string | undefined;
}

/** What came of an element: `undone` where it succeeded and another one of an atomic bulk did not. */
export type BulkResult =
  | {
      readonly status: "done";
      readonly logId: number;
      /** Of a create or a revert. */
      readonly transaction?: PublicTransaction | undefined;
    }
  | { readonly status: "failed"; readonly error: LedgerError }
  | { readonly status: "undone" }
  | { readonly status: "skipped" };

export interface PublicPosting {
  readonly source: string;
  readonly destination: string;
  readonly amount: bigint;
  readonly asset: string;
}

/** What an account has received and sent of an asset, and the difference. */
export interface PublicVolumes {
  readonly input: bigint;
  readonly output: bigint;
  readonly balance: bigint;
}

/** Volumes by account and asset. */
export type PublicAccountVolumes = Readonly<
  Record<string, Readonly<Record<string, PublicVolumes>>>
>;

/** Times are RFC 3339 in UTC. */
export interface PublicTransaction {
  readonly id: number;
  readonly postings: readonly PublicPosting[];
  readonly metadata: PublicMetadata;
  readonly reference?: string | undefined;
  /** The template of a schema that made it. */
  readonly template?: string | undefined;
  /** The effective date. */
  readonly timestamp: string;
  readonly insertedAt: string;
  readonly updatedAt: string;
  readonly reverted: boolean;
  readonly revertedAt?: string | undefined;
  /** Of the accounts in its postings, before and after its commit. */
  readonly preCommitVolumes?: PublicAccountVolumes | undefined;
  readonly postCommitVolumes?: PublicAccountVolumes | undefined;
  /** The same in the order of effective dates. */
  readonly preCommitEffectiveVolumes?: PublicAccountVolumes | undefined;
  readonly postCommitEffectiveVolumes?: PublicAccountVolumes | undefined;
}

export interface PublicAccount {
  readonly address: string;
  readonly metadata: PublicMetadata;
  readonly firstUsage: string;
  readonly insertionDate: string;
  readonly updatedAt: string;
  /** By asset. Empty in a ledger without `MOVES_HISTORY`. */
  readonly volumes: Readonly<Record<string, PublicVolumes>>;
}

/**
 * A filter as the HTTP API takes it: `{ $match: { account: "users:42" } }`, `{ $and: [...] }`, `{ $gt: { timestamp: "..." } }`.
 * A test of an absent reference, revert date or balance is neither true nor false, and so is its `$not`; absent metadata do
 * not match a test, and match its `$not`.
 */
export type PublicFilter = Readonly<Record<string, unknown>>;

export interface PublicListOptions {
  readonly order?: "asc" | "desc" | undefined;
  readonly where?: PublicFilter | undefined;
  /** Point in time: what was there then. Volumes of accounts are those that had been inserted by then. */
  readonly pit?: Time | undefined;
}

export interface VolumeOptions {
  readonly order?: "asc" | "desc" | undefined;
  readonly where?: PublicFilter | undefined;
  /** Only what moved from here on, and up to there; both included. */
  readonly startTime?: Time | undefined;
  readonly endTime?: Time | undefined;
  /** Whether these are dates of insertion, not effective ones. */
  readonly insertionDate?: boolean | undefined;
  /** Sums the accounts whose addresses begin with the same segments, so many of them. */
  readonly groupBy?: number | undefined;
}

/** Volumes of an account, or of a group of accounts. */
export interface VolumeEntry extends PublicVolumes {
  readonly account: string;
  readonly asset: string;
}

export interface BalanceOptions {
  readonly where?: PublicFilter | undefined;
  readonly pit?: Time | undefined;
  /** Whether `pit` is a date of insertion, not an effective one. */
  readonly insertionDate?: boolean | undefined;
}

export interface LogOptions {
  /** The id of an entry: only later ones are read. */
  readonly after?: number | undefined;
}

/** What a ledger's accounts and transactions are to be like, as the HTTP API has it. */
export interface NewSchema {
  readonly chart: PublicChart;
  /** Scripts by their names. Where there are any, transactions are made by one of them. */
  readonly transactions?: Readonly<Record<string, PublicTransactionTemplate>> | undefined;
  /** Lists by their ids. */
  readonly queries?: Readonly<Record<string, PublicQueryTemplate>> | undefined;
}

/**
 * Accounts by the segments of their addresses, each of which holds those behind it: `{ users: { $id: { main: {} } } }`.
 * Names with a `$` stand for any segment, names with a dot are properties: `.self`, `.pattern`, `.metadata`, `.rules`.
 */
export type PublicChart = Readonly<Record<string, unknown>>;

export interface PublicTransactionTemplate {
  readonly description?: string | undefined;
  /** Numscript. */
  readonly script: string;
  readonly runtime?: PublicRuntime | undefined;
}

/** A list with variables in its filter, as `$name` or `${name}` in its texts and `${name}` for other values. */
export interface PublicQueryTemplate {
  readonly description?: string | undefined;
  readonly resource: "transactions" | "accounts" | "logs" | "volumes";
  readonly params?: PublicQueryParams | undefined;
  /** By name: a type, or a type with a default. */
  readonly vars?: Readonly<Record<string, PublicQueryVariable>> | undefined;
  readonly body?: PublicFilter | undefined;
}

export type PublicQueryVariable =
  | QueryVariableType
  | { readonly type: QueryVariableType; readonly default?: QueryValue | undefined };
export type QueryVariableType = "string" | "int" | "boolean" | "date";
/** A date is a `Time`. */
export type QueryValue = string | boolean | PublicAmount | Date;

/** How a query lists what it lists. */
export interface PublicQueryParams {
  /** `id:desc` */
  readonly sort?: string | undefined;
  readonly startTime?: Time | undefined;
  readonly endTime?: Time | undefined;
  /** Of volumes: sums accounts by so many segments of their addresses. */
  readonly groupBy?: number | undefined;
  /** Of volumes: whether the times are dates of insertion. */
  readonly insertionDate?: boolean | undefined;
  /** For the server's pages: `runQuery` reads as far as you go, with volumes. */
  readonly pageSize?: number | undefined;
  readonly expand?: string | readonly string[] | undefined;
}

/** What a run of a query template adds to it. */
export interface QueryRun {
  /** Values of its variables; those that have no default are needed. */
  readonly vars?: Readonly<Record<string, QueryValue>> | undefined;
  /** They go before those of the template. */
  readonly params?: PublicQueryParams | undefined;
}

/** What a query lists, in the order of the server's list unless it is sorted: of transactions and logs, the newest first. */
export type QueryResult =
  | { readonly resource: "transactions"; readonly items: Generator<PublicTransaction> }
  | { readonly resource: "accounts"; readonly items: Generator<PublicAccount> }
  | { readonly resource: "logs"; readonly items: Generator<PublicLogEntry> }
  | { readonly resource: "volumes"; readonly items: Generator<VolumeEntry> };

/** A schema of a ledger. */
export interface Schema extends NewSchema {
  readonly version: string;
  readonly createdAt: string;
}

/** An entry of the log, with transactions as they were then. */
export type PublicLogEntry = {
  readonly id: number;
  readonly date: string;
  /** Empty for none. */
  readonly idempotencyKey: string;
  /** The schema that the write named. */
  readonly schemaVersion?: string | undefined;
} & PublicLogData;

export type PublicLogData =
  | {
      readonly type: "NEW_TRANSACTION";
      readonly data: {
        readonly transaction: PublicTransaction;
        readonly accountMetadata: Readonly<Record<string, PublicMetadata>>;
      };
    }
  | {
      readonly type: "REVERTED_TRANSACTION";
      readonly data: {
        readonly revertedTransaction: PublicTransaction;
        readonly transaction: PublicTransaction;
      };
    }
  | {
      readonly type: "SET_METADATA";
      readonly data: PublicTarget & { readonly metadata: PublicMetadata };
    }
  | { readonly type: "DELETE_METADATA"; readonly data: PublicTarget & { readonly key: string } }
  | { readonly type: "INSERTED_SCHEMA"; readonly data: { readonly schema: Schema } };
