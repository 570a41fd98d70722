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
  /**
   * The clock of the ledger. Dates of the log never go back: an earlier time than that of the last entry counts as the time of the last
   * entry.
   */
  readonly clock?: (() => Time) | undefined;
  /** The runtime of scripts without a runtime of their own, by default `machine`. */
  readonly runtime?: PublicRuntime | undefined;
  /** The feature flags that every script for the interpreter gets. */
  readonly featureFlags?: readonly string[] | undefined;
  /**
   * The treatment of transactions with accounts that the chart of their schema does not allow, and of writes that name no schema in a
   * ledger with schemas. `audit`, the default, accepts such writes; `strict` refuses them.
   */
  readonly schemaEnforcement?: "audit" | "strict" | undefined;
  /** A callback for each violation of an accepted write, called after the write. Violations of dry runs are reported, too. */
  readonly onSchemaViolation?: ((violation: string) => void) | undefined;
}

/** A ledger in this process. Every method is synchronous. A write that throws has changed nothing. */
export interface PublicLedger {
  readonly name: string;
  readonly features: PublicFeatures;

  /** Commits postings or a script. */
  createTransaction(transaction: NewTransaction, options?: PublicWriteOptions): PublicTransaction;
  /** Commits a transaction that reverts another one, and returns it. */
  revertTransaction(id: number, options?: RevertOptions): PublicTransaction;
  addAccountMetadata(address: string, metadata: PublicMetadata, options?: PublicWriteOptions): void;
  deleteAccountMetadata(address: string, key: string, options?: PublicWriteOptions): void;
  addTransactionMetadata(id: number, metadata: PublicMetadata, options?: PublicWriteOptions): void;
  deleteTransactionMetadata(id: number, key: string, options?: PublicWriteOptions): void;
  /** Executes elements in order, and returns the result of each. Throws only if an element is malformed. */
  bulk(elements: readonly PublicBulkElement[], options?: PublicBulkOptions): BulkResult[];
  /** Adds a schema under a version. A version never changes; a repeated version throws `SCHEMA_ALREADY_EXISTS`. */
  insertSchema(version: string, schema: NewSchema, options?: PublicWriteOptions): void;

  /** Throws `NOT_FOUND`. */
  getTransaction(id: number): PublicTransaction;
  /** Throws `NOT_FOUND` for an account that no transaction and no metadata has named. */
  getAccount(address: string): PublicAccount;
  /** The balance of an account in an asset: input minus output. The balance of an unused account is 0. */
  balance(address: string, asset: string): bigint;
  /** Transactions by id, all or those that a filter matches. The oldest come first unless the order is `desc`. */
  transactions(options?: PublicListOptions): Generator<PublicTransaction>;
  /** Accounts by address. */
  accounts(options?: PublicListOptions): Generator<PublicAccount>;
  /** The volumes of each account and asset, by account and asset. */
  volumes(options?: VolumeOptions): Generator<VolumeEntry>;
  /** Balances by asset, summed over the accounts that a filter matches. */
  aggregateBalances(options?: BalanceOptions): Readonly<Record<string, bigint>>;
  /** The entries of the log, in order. Each write has an entry, and an entry never changes. */
  logs(options?: LogOptions): Generator<PublicLogEntry>;
  /** Throws `NOT_FOUND`. */
  getSchema(version: string): Schema;
  /** Schemas by date. The newest come first unless the order is `asc`. */
  schemas(options?: PublicListOptions): Generator<Schema>;
  /** The list of a schema's query template. Throws `VALIDATION`, also for an unknown template. */
  runQuery(schemaVersion: string, id: string, run?: QueryRun): QueryResult;

  /**
   * Rebuilds the ledger from its log, in a temporary file, and compares every row, the hash chain and the sums of money. The ledger stays
   * unchanged. A verification takes some 30 seconds for a million transactions.
   */
  verify(): Verification;

  /** Closes the file. A ledger in memory is lost. Further calls have no effect. */
  close(): void;
}
