import type { LedgerError } from "./error.ts";

/** Text to text. */
export type Metadata = Readonly<Record<string, string>>;

/** An integer in the smallest unit of its asset; a `number` only up to 2^53, where it is exact. */
export type Amount = bigint | number;

/** RFC 3339 with a zone, to the microsecond; or a `Date`, which has milliseconds. */
export type Time = string | Date;

/** What decides how a script runs. */
export type Runtime = "machine" | "experimental-interpreter";

/** What a ledger keeps besides its transactions. Chosen when it is made; each has its first value by default. */
export interface Features {
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
  readonly features?: Partial<Features> | undefined;
  /** What time it is. The log never goes back: a time before that of the last entry counts as that. */
  readonly clock?: (() => Time) | undefined;
  /** The runtime of scripts that name none, `machine` unless given. */
  readonly runtime?: Runtime | undefined;
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
export interface Ledger {
  readonly name: string;
  readonly features: Features;

  /** Commits postings or a script. */
  createTransaction(transaction: NewTransaction, options?: WriteOptions): Transaction;
  /** Commits what undoes a transaction, and returns that. */
  revertTransaction(id: number, options?: RevertOptions): Transaction;
  addAccountMetadata(address: string, metadata: Metadata, options?: WriteOptions): void;
  deleteAccountMetadata(address: string, key: string, options?: WriteOptions): void;
  addTransactionMetadata(id: number, metadata: Metadata, options?: WriteOptions): void;
  deleteTransactionMetadata(id: number, key: string, options?: WriteOptions): void;
  /** Executes elements in order, and says of each what came of it. Throws only where an element is malformed. */
  bulk(elements: readonly BulkElement[], options?: BulkOptions): BulkResult[];
  /** Adds a schema under a version, which never changes: a second one is `SCHEMA_ALREADY_EXISTS`. */
  insertSchema(version: string, schema: NewSchema, options?: WriteOptions): void;

  /** Throws `NOT_FOUND`. */
  getTransaction(id: number): Transaction;
  /** Throws `NOT_FOUND` for an account that no transaction and no metadata has named. */
  getAccount(address: string): Account;
  /** What an account has received less what it has sent, 0 where it never moved. */
  balance(address: string, asset: string): bigint;
  /** Transactions by their ids, the oldest first unless the order is `desc`; all, or those that a filter matches. */
  transactions(options?: ListOptions): Generator<Transaction>;
  /** Accounts by their addresses. */
  accounts(options?: ListOptions): Generator<Account>;
  /** What each account has received and sent of each asset, by account and asset. */
  volumes(options?: VolumeOptions): Generator<VolumeEntry>;
  /** Balances by asset, summed over the accounts that a filter matches. */
  aggregateBalances(options?: BalanceOptions): Readonly<Record<string, bigint>>;
  /** The log: an entry for each write, in order, which reads the same for ever. */
  logs(options?: LogOptions): Generator<LogEntry>;
  /** Throws `NOT_FOUND`. */
  getSchema(version: string): Schema;
  /** Schemas by their dates, the newest first unless the order is `asc`. */
  schemas(options?: ListOptions): Generator<Schema>;
  /** The list that a query template of a schema stands for. Throws `VALIDATION`, also where there is no such template. */
  runQuery(schemaVersion: string, id: string, run?: QueryRun): QueryResult;

  /** Gives the file back; what was in memory is gone. Closing twice is harmless. */
  close(): void;
}

export interface NewPosting {
  readonly source: string;
  readonly destination: string;
  readonly amount: Amount;
  /** `EUR/2` */
  readonly asset: string;
}

/** A transaction to commit: either `postings`, or a `script` or the name of one. */
export interface NewTransaction {
  readonly postings?: readonly NewPosting[] | undefined;
  /** Numscript: its source text, or that, or the name of a template, with its variables. */
  readonly script?: string | Script | undefined;
  readonly metadata?: Metadata | undefined;
  /** Unique in the ledger. */
  readonly reference?: string | undefined;
  /** The effective date; now unless given. */
  readonly timestamp?: Time | undefined;
  /** Metadata for accounts, by their addresses. */
  readonly accountMetadata?: Readonly<Record<string, Metadata>> | undefined;
  /** Lets the sources of postings go below zero. */
  readonly force?: boolean | undefined;
  readonly runtime?: Runtime | undefined;
}

export interface Script {
  /** The source text. */
  readonly plain?: string | undefined;
  /** Instead of a text: a transaction template of the schema that the write names. */
  readonly template?: string | undefined;
  /** By name without `$`: texts (`users:1`, `USD/2 100`, `1/3`), integers, or amounts as `{ asset, amount }`. */
  readonly vars?: Readonly<Record<string, ScriptVariable>> | undefined;
}

export type ScriptVariable = string | Amount | { readonly asset: string; readonly amount: Amount };

export interface WriteOptions {
  /** A write with a key happens once: a repetition changes nothing and returns what the first one did. */
  readonly idempotencyKey?: string | undefined;
  /** Returns what would come of the write, and changes nothing. */
  readonly dryRun?: boolean | undefined;
  /** The schema by whose rules the write goes. Throws `NOT_FOUND` where the ledger has no such version. */
  readonly schemaVersion?: string | undefined;
}

export interface RevertOptions extends WriteOptions {
  /** Lets accounts go below zero. */
  readonly force?: boolean | undefined;
  /** Dates the revert as what it reverts, not now. */
  readonly atEffectiveDate?: boolean | undefined;
  readonly metadata?: Metadata | undefined;
}

/** An element of a bulk, as the HTTP API has it. `ik` is its idempotency key. */
export type BulkElement =
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
      readonly data: Target & { readonly metadata: Metadata };
    }
  | {
      readonly action: "DELETE_METADATA";
      readonly ik?: string | undefined;
      readonly data: Target & { readonly key: string };
    };

/** What metadata is of. */
export type Target =
  | { readonly targetType: "ACCOUNT"; readonly targetId: string }
  | { readonly targetType: "TRANSACTION"; readonly targetId: number };

export interface BulkOptions {
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
      readonly transaction?: Transaction | undefined;
    }
  | { readonly status: "failed"; readonly error: LedgerError }
  | { readonly status: "undone" }
  | { readonly status: "skipped" };

export interface Posting {
  readonly source: string;
  readonly destination: string;
  readonly amount: bigint;
  readonly asset: string;
}

/** What an account has received and sent of an asset, and the difference. */
export interface Volumes {
  readonly input: bigint;
  readonly output: bigint;
  readonly balance: bigint;
}

/** Volumes by account and asset. */
export type AccountVolumes = Readonly<Record<string, Readonly<Record<string, Volumes>>>>;

/** Times are RFC 3339 in UTC. */
export interface Transaction {
  readonly id: number;
  readonly postings: readonly Posting[];
  readonly metadata: Metadata;
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
  readonly preCommitVolumes?: AccountVolumes | undefined;
  readonly postCommitVolumes?: AccountVolumes | undefined;
  /** The same in the order of effective dates. */
  readonly preCommitEffectiveVolumes?: AccountVolumes | undefined;
  readonly postCommitEffectiveVolumes?: AccountVolumes | undefined;
}

export interface Account {
  readonly address: string;
  readonly metadata: Metadata;
  readonly firstUsage: string;
  readonly insertionDate: string;
  readonly updatedAt: string;
  /** By asset. Empty in a ledger without `MOVES_HISTORY`. */
  readonly volumes: Readonly<Record<string, Volumes>>;
}

/**
 * A filter as the HTTP API takes it: `{ $match: { account: "users:42" } }`, `{ $and: [...] }`, `{ $gt: { timestamp: "..." } }`.
 * A test of an absent reference, revert date or balance is neither true nor false, and so is its `$not`; absent metadata do
 * not match a test, and match its `$not`.
 */
export type Filter = Readonly<Record<string, unknown>>;

export interface ListOptions {
  readonly order?: "asc" | "desc" | undefined;
  readonly where?: Filter | undefined;
  /** Point in time: what was there then. Volumes of accounts are those that had been inserted by then. */
  readonly pit?: Time | undefined;
}

export interface VolumeOptions {
  readonly order?: "asc" | "desc" | undefined;
  readonly where?: Filter | undefined;
  /** Only what moved from here on, and up to there; both included. */
  readonly startTime?: Time | undefined;
  readonly endTime?: Time | undefined;
  /** Whether these are dates of insertion, not effective ones. */
  readonly insertionDate?: boolean | undefined;
  /** Sums the accounts whose addresses begin with the same segments, so many of them. */
  readonly groupBy?: number | undefined;
}

/** Volumes of an account, or of a group of accounts. */
export interface VolumeEntry extends Volumes {
  readonly account: string;
  readonly asset: string;
}

export interface BalanceOptions {
  readonly where?: Filter | undefined;
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
  readonly chart: Chart;
  /** Scripts by their names. Where there are any, transactions are made by one of them. */
  readonly transactions?: Readonly<Record<string, TransactionTemplate>> | undefined;
  /** Lists by their ids. */
  readonly queries?: Readonly<Record<string, QueryTemplate>> | undefined;
}

/**
 * Accounts by the segments of their addresses, each of which holds those behind it: `{ users: { $id: { main: {} } } }`.
 * Names with a `$` stand for any segment, names with a dot are properties: `.self`, `.pattern`, `.metadata`, `.rules`.
 */
export type Chart = Readonly<Record<string, unknown>>;

export interface TransactionTemplate {
  readonly description?: string | undefined;
  /** Numscript. */
  readonly script: string;
  readonly runtime?: Runtime | undefined;
}

/** A list with variables in its filter, as `$name` or `${name}` in its texts and `${name}` for other values. */
export interface QueryTemplate {
  readonly description?: string | undefined;
  readonly resource: "transactions" | "accounts" | "logs" | "volumes";
  readonly params?: QueryParams | undefined;
  /** By name: a type, or a type with a default. */
  readonly vars?: Readonly<Record<string, QueryVariable>> | undefined;
  readonly body?: Filter | undefined;
}

export type QueryVariable =
  | QueryVariableType
  | { readonly type: QueryVariableType; readonly default?: QueryValue | undefined };
export type QueryVariableType = "string" | "int" | "boolean" | "date";
/** A date is a `Time`. */
export type QueryValue = string | boolean | Amount | Date;

/** How a query lists what it lists. */
export interface QueryParams {
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
  readonly params?: QueryParams | undefined;
}

/** What a query lists, in the order of the server's list unless it is sorted: of transactions and logs, the newest first. */
export type QueryResult =
  | { readonly resource: "transactions"; readonly items: Generator<Transaction> }
  | { readonly resource: "accounts"; readonly items: Generator<Account> }
  | { readonly resource: "logs"; readonly items: Generator<LogEntry> }
  | { readonly resource: "volumes"; readonly items: Generator<VolumeEntry> };

/** A schema of a ledger. */
export interface Schema extends NewSchema {
  readonly version: string;
  readonly createdAt: string;
}

/** An entry of the log, with transactions as they were then. */
export type LogEntry = {
  readonly id: number;
  readonly date: string;
  /** Empty for none. */
  readonly idempotencyKey: string;
  /** The schema that the write named. */
  readonly schemaVersion?: string | undefined;
} & LogData;

export type LogData =
  | {
      readonly type: "NEW_TRANSACTION";
      readonly data: {
        readonly transaction: Transaction;
        readonly accountMetadata: Readonly<Record<string, Metadata>>;
      };
    }
  | {
      readonly type: "REVERTED_TRANSACTION";
      readonly data: {
        readonly revertedTransaction: Transaction;
        readonly transaction: Transaction;
      };
    }
  | { readonly type: "SET_METADATA"; readonly data: Target & { readonly metadata: Metadata } }
  | { readonly type: "DELETE_METADATA"; readonly data: Target & { readonly key: string } }
  | { readonly type: "INSERTED_SCHEMA"; readonly data: { readonly schema: Schema } };
