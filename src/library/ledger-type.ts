import type {
  BalanceOptions,
  BulkResult,
  LogOptions,
  NewSchema,
  NewTransaction,
  PublicAccount,
  PublicBulkElement,
  PublicBulkOptions,
  PublicFeatures,
  PublicListOptions,
  PublicLogEntry,
  PublicMetadata,
  PublicRuntime,
  PublicTransaction,
  PublicWriteOptions,
  QueryResult,
  QueryRun,
  RevertOptions,
  Schema,
  Time,
  Verification,
  VolumeEntry,
  VolumeOptions,
} from "./types.ts";

export interface OpenOptions {
  /**
   * The file of the ledger, which is created if it does not exist. Without a file, the ledger is in memory until it is
   * closed.
   */
  readonly file?: string | undefined;
  /** The name of a new ledger, by default `default`. For an existing file, it must be the ledger's name. */
  readonly name?: string | undefined;
  /** The features of a new ledger. For an existing file, they must be the ledger's features. */
  readonly features?: Partial<PublicFeatures> | undefined;
  /** The current time. The log never goes back: a time before that of the last entry counts as that time. */
  readonly clock?: (() => Time) | undefined;
  /** The runtime of scripts that name none, by default `machine`. */
  readonly runtime?: PublicRuntime | undefined;
  /** The feature flags that every script for the interpreter gets. */
  readonly featureFlags?: readonly string[] | undefined;
  /**
   * What happens to transactions with accounts that the chart of their schema does not allow, and to writes that name
   * no schema where the ledger has one. `audit`, the default, accepts them. `strict` refuses them.
   */
  readonly schemaEnforcement?: "audit" | "strict" | undefined;
  /**
   * Is called with each violation of a write that is accepted all the same, once the write is done. Dry runs are
   * reported, too.
   */
  readonly onSchemaViolation?: ((violation: string) => void) | undefined;
}

/** A ledger in this process. Every method is synchronous. A write that throws has changed nothing. */
export interface PublicLedger {
  readonly name: string;
  readonly features: PublicFeatures;

  /** Commits postings or a script. */
  createTransaction(transaction: NewTransaction, options?: PublicWriteOptions): PublicTransaction;
  /** Commits a transaction that undoes another one, and returns it. */
  revertTransaction(id: number, options?: RevertOptions): PublicTransaction;
  addAccountMetadata(address: string, metadata: PublicMetadata, options?: PublicWriteOptions): void;
  deleteAccountMetadata(address: string, key: string, options?: PublicWriteOptions): void;
  addTransactionMetadata(id: number, metadata: PublicMetadata, options?: PublicWriteOptions): void;
  deleteTransactionMetadata(id: number, key: string, options?: PublicWriteOptions): void;
  /** Executes elements in order, and returns the result of each. Throws only where an element is malformed. */
  bulk(elements: readonly PublicBulkElement[], options?: PublicBulkOptions): BulkResult[];
  /** Adds a schema under a version. A version never changes: adding it again throws `SCHEMA_ALREADY_EXISTS`. */
  insertSchema(version: string, schema: NewSchema, options?: PublicWriteOptions): void;

  /** Throws `NOT_FOUND`. */
  getTransaction(id: number): PublicTransaction;
  /** Throws `NOT_FOUND` for an account that no transaction and no metadata has named. */
  getAccount(address: string): PublicAccount;
  /** The balance of an account: what it has received, less what it has sent. It is 0 where the account never moved. */
  balance(address: string, asset: string): bigint;
  /** The transactions that a filter matches, or all, by id. The oldest come first unless the order is `desc`. */
  transactions(options?: PublicListOptions): Generator<PublicTransaction>;
  /** Accounts by address. */
  accounts(options?: PublicListOptions): Generator<PublicAccount>;
  /** What each account has received and sent of each asset, by account and asset. */
  volumes(options?: VolumeOptions): Generator<VolumeEntry>;
  /** Balances by asset, summed over the accounts that a filter matches. */
  aggregateBalances(options?: BalanceOptions): Readonly<Record<string, bigint>>;
  /** The log, in order. It has an entry for each write, and an entry never changes. */
  logs(options?: LogOptions): Generator<PublicLogEntry>;
  /** Throws `NOT_FOUND`. */
  getSchema(version: string): Schema;
  /** Schemas by date. The newest come first unless the order is `asc`. */
  schemas(options?: PublicListOptions): Generator<Schema>;
  /**
   * The list that a query template of a schema stands for. Throws `VALIDATION`, also where there is no such template.
   */
  runQuery(schemaVersion: string, id: string, run?: QueryRun): QueryResult;

  /**
   * Rebuilds the ledger from its log, in a temporary file, and compares every row, the hash chain and the sums of money. It changes nothing,
   * and takes some 30 seconds for a million transactions.
   */
  verify(): Verification;

  /** Closes the file. A ledger in memory is gone then. Closing twice is harmless. */
  close(): void;
}
