import type { LedgerError } from "./error.ts";

/** Metadata maps texts to texts. */
export type PublicMetadata = Readonly<Record<string, string>>;

/** An integer in the smallest unit of its asset. A `number` must not exceed 2^53, up to which it is exact. */
export type PublicAmount = bigint | number;

/** RFC 3339 with a zone, to the microsecond, or a `Date`, which has milliseconds. */
export type Time = string | Date;

/** The runtime that executes a script. */
export type PublicRuntime = "machine" | "experimental-interpreter";

/**
 * The features of a ledger: the data that it keeps besides its transactions. Features are chosen when the ledger is created. The first
 * value of each feature is the default.
 */
export interface PublicFeatures {
  readonly ACCOUNT_METADATA_HISTORY: "SYNC" | "DISABLED";
  readonly HASH_LOGS: "SYNC" | "ASYNC" | "DISABLED";
  readonly MOVES_HISTORY: "ON" | "OFF";
  readonly MOVES_HISTORY_POST_COMMIT_EFFECTIVE_VOLUMES: "SYNC" | "DISABLED";
  readonly TRANSACTION_METADATA_HISTORY: "SYNC" | "DISABLED";
}

export interface NewPosting {
  readonly source: string;
  readonly destination: string;
  readonly amount: PublicAmount;
  /** An asset with its precision, such as `EUR/2`. */
  readonly asset: string;
}

/** A transaction to commit. It has either `postings` or a `script`. */
export interface NewTransaction {
  readonly postings?: readonly NewPosting[] | undefined;
  /** Numscript: the source text, or an object with the source text or a template's name, and the variables. */
  readonly script?: string | PublicScript | undefined;
  readonly metadata?: PublicMetadata | undefined;
  /** A reference that is unique in the ledger. */
  readonly reference?: string | undefined;
  /** The effective date, by default the current time. */
  readonly timestamp?: Time | undefined;
  /** Metadata for accounts, by address. */
  readonly accountMetadata?: Readonly<Record<string, PublicMetadata>> | undefined;
  /** Allows the sources of postings to go below zero. */
  readonly force?: boolean | undefined;
  readonly runtime?: PublicRuntime | undefined;
}

export interface PublicScript {
  /** The source text. */
  readonly plain?: string | undefined;
  /** A transaction template of the schema that the write names, instead of a source text. */
  readonly template?: string | undefined;
  /**
   * The variables by name, without `$`: texts (`users:1`, `USD/2 100`, `1/3`), integers, or amounts as `{ asset, amount
   * }`.
   */
  readonly vars?: Readonly<Record<string, ScriptVariable>> | undefined;
}

export type ScriptVariable =
  | string
  | PublicAmount
  | { readonly asset: string; readonly amount: PublicAmount };

export interface PublicWriteOptions {
  /** A write with an idempotency key happens once. Repeating it changes nothing and returns the first result. */
  readonly idempotencyKey?: string | undefined;
  /** Returns the result that the write would have, and changes nothing. */
  readonly dryRun?: boolean | undefined;
  /** The version of the schema that the write must follow. The write throws `NOT_FOUND` if the ledger has no such version. */
  readonly schemaVersion?: string | undefined;
}

export interface RevertOptions extends PublicWriteOptions {
  /** Allows accounts to go below zero. */
  readonly force?: boolean | undefined;
  /** Gives the revert the date of the reverted transaction instead of the current time. */
  readonly atEffectiveDate?: boolean | undefined;
  readonly metadata?: PublicMetadata | undefined;
}

/** An element of a bulk, as in the HTTP API. `ik` is its idempotency key. */
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

/** The account or transaction that metadata belongs to. */
export type PublicTarget =
  | { readonly targetType: "ACCOUNT"; readonly targetId: string }
  | { readonly targetType: "TRANSACTION"; readonly targetId: number };

export interface PublicBulkOptions {
  /** Whether all elements are executed or none. */
  readonly atomic?: boolean | undefined;
  /** Whether the bulk continues after an element that failed. */
  readonly continueOnFailure?: boolean | undefined;
  /** The version of the schema that all elements must follow. */
  readonly schemaVersion?: string | undefined;
}

/** The result of an element. `undone` means that it succeeded, but another element of an atomic bulk did not. */
export type BulkResult =
  | {
      readonly status: "done";
      readonly logId: number;
      /** The transaction of a create or a revert. */
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

/** The volumes of an account in an asset: the amounts that it has received and sent, and the balance. */
export interface PublicVolumes {
  readonly input: bigint;
  readonly output: bigint;
  readonly balance: bigint;
}

/** Volumes by account and asset. */
export type PublicAccountVolumes = Readonly<
  Record<string, Readonly<Record<string, PublicVolumes>>>
>;

/** A transaction. Times are RFC 3339 in UTC. */
export interface PublicTransaction {
  readonly id: number;
  readonly postings: readonly PublicPosting[];
  readonly metadata: PublicMetadata;
  readonly reference?: string | undefined;
  /** The name of the schema's template that created the transaction. */
  readonly template?: string | undefined;
  /** The effective date. */
  readonly timestamp: string;
  readonly insertedAt: string;
  readonly updatedAt: string;
  readonly reverted: boolean;
  readonly revertedAt?: string | undefined;
  /** The volumes of the accounts in the transaction's postings, before and after its commit. */
  readonly preCommitVolumes?: PublicAccountVolumes | undefined;
  readonly postCommitVolumes?: PublicAccountVolumes | undefined;
  /** The volumes of the accounts in the transaction's postings in the order of effective dates. */
  readonly preCommitEffectiveVolumes?: PublicAccountVolumes | undefined;
  readonly postCommitEffectiveVolumes?: PublicAccountVolumes | undefined;
}

export interface PublicAccount {
  readonly address: string;
  readonly metadata: PublicMetadata;
  readonly firstUsage: string;
  readonly insertionDate: string;
  readonly updatedAt: string;
  /** The volumes by asset. They are empty in a ledger without `MOVES_HISTORY`. */
  readonly volumes: Readonly<Record<string, PublicVolumes>>;
}

/**
 * A filter as in the HTTP API: `{ $match: { account: "users:42" } }`, `{ $and: [...] }`, `{ $gt: { timestamp: "..." } }`. A test of an
 * absent reference, revert date or balance is neither true nor false, and neither is its `$not`. Absent metadata does not match a test, but
 * matches its `$not`.
 */
export type PublicFilter = Readonly<Record<string, unknown>>;

export interface PublicListOptions {
  readonly order?: "asc" | "desc" | undefined;
  readonly where?: PublicFilter | undefined;
  /**
   * A point in time: the list shows only objects that existed at this time, and accounts with the volumes of moves that were inserted by
   * then.
   */
  readonly pit?: Time | undefined;
}

export interface VolumeOptions {
  readonly order?: "asc" | "desc" | undefined;
  readonly where?: PublicFilter | undefined;
  /** The period in which moves count, both ends inclusive. */
  readonly startTime?: Time | undefined;
  readonly endTime?: Time | undefined;
  /** Whether the times are dates of insertion rather than effective dates. */
  readonly insertionDate?: boolean | undefined;
  /** The number of first segments by which accounts are grouped: the volumes of accounts with equal first segments are summed up. */
  readonly groupBy?: number | undefined;
}

/** The volumes of an account, or of a group of accounts, in one asset. */
export interface VolumeEntry extends PublicVolumes {
  readonly account: string;
  readonly asset: string;
}

export interface BalanceOptions {
  readonly where?: PublicFilter | undefined;
  readonly pit?: Time | undefined;
  /** Whether `pit` is a date of insertion rather than an effective date. */
  readonly insertionDate?: boolean | undefined;
}

export interface LogOptions {
  /** The id after which entries are read. */
  readonly after?: number | undefined;
}

/** The rules for a ledger's accounts and transactions, as in the HTTP API. */
export interface NewSchema {
  readonly chart: PublicChart;
  /** Scripts by name. If a schema has scripts, only its scripts create transactions. */
  readonly transactions?: Readonly<Record<string, PublicTransactionTemplate>> | undefined;
  /** Lists by id. */
  readonly queries?: Readonly<Record<string, PublicQueryTemplate>> | undefined;
}

/**
 * Accounts by the segments of their addresses. Each segment contains the segments that may follow it: `{ users: { $id: { main: {} } } }`.
 * Names with a `$` stand for any segment. Names with a dot are properties: `.self`, `.pattern`, `.metadata`, `.rules`.
 */
export type PublicChart = Readonly<Record<string, unknown>>;

export interface PublicTransactionTemplate {
  readonly description?: string | undefined;
  /** The source text in Numscript. */
  readonly script: string;
  readonly runtime?: PublicRuntime | undefined;
}

/** A list with variables in its filter: `$name` or `${name}` in texts, `${name}` for other values. */
export interface PublicQueryTemplate {
  readonly description?: string | undefined;
  readonly resource: "transactions" | "accounts" | "logs" | "volumes";
  readonly params?: PublicQueryParams | undefined;
  /** The variables by name: a type, or a type with a default. */
  readonly vars?: Readonly<Record<string, PublicQueryVariable>> | undefined;
  readonly body?: PublicFilter | undefined;
}

export type PublicQueryVariable =
  | QueryVariableType
  | { readonly type: QueryVariableType; readonly default?: QueryValue | undefined };
export type QueryVariableType = "string" | "int" | "boolean" | "date";
/** The value of a variable. A date is a `Time`. */
export type QueryValue = string | boolean | PublicAmount | Date;

/** The parameters of a query's list. */
export interface PublicQueryParams {
  /** The sort column, such as `id:desc`. */
  readonly sort?: string | undefined;
  readonly startTime?: Time | undefined;
  readonly endTime?: Time | undefined;
  /** In a list of volumes, the number of first segments by which accounts are summed up. */
  readonly groupBy?: number | undefined;
  /** In a list of volumes, whether the times are dates of insertion. */
  readonly insertionDate?: boolean | undefined;
  /** `pageSize` and `expand` concern the server's pages. `runQuery` ignores them: it reads as far as the caller iterates, with volumes. */
  readonly pageSize?: number | undefined;
  readonly expand?: string | readonly string[] | undefined;
}

/** The arguments of a run of a query template. */
export interface QueryRun {
  /** The values of the variables. Variables without a default are required. */
  readonly vars?: Readonly<Record<string, QueryValue>> | undefined;
  /** The parameters of the run, which take precedence over those of the template. */
  readonly params?: PublicQueryParams | undefined;
}

/**
 * The result of a query. Without a sort column, it has the order of the server's list: the newest transactions and log entries come first.
 */
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

/** An entry of the log, with transactions as they were at that time. */
export type PublicLogEntry = {
  readonly id: number;
  readonly date: string;
  /** The idempotency key; empty if there is none. */
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

/** The result of a verification. */
export interface Verification {
  /** Whether every row agrees with the log, and input equals output in each asset. */
  readonly isConsistent: boolean;
  /** The id of the last log entry in the rebuilt copy. */
  readonly lastLogId: number;
  /** The number of rows that were compared, by table. */
  readonly rows: Readonly<Record<string, number>>;
  /** The sums of all accounts' input and output in each asset. */
  readonly totals: readonly {
    readonly asset: string;
    readonly input: bigint;
    readonly output: bigint;
  }[];
  /** The first hundred differences. */
  readonly differences: readonly {
    /** The table of the row; `log` for an entry that cannot be replayed. */
    readonly table: string;
    /** The primary key, its columns joined with `,`. */
    readonly key: string;
    readonly problem: string;
    readonly column?: string;
    /** The stored value and the value by the log, as SQL literals. */
    readonly stored?: string;
    readonly expected?: string;
  }[];
}
