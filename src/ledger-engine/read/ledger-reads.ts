import { AccountLists } from "./accounts/account-lists.ts";
import { AccountTree } from "./accounts/account-tree.ts";
import { ActivityHistory } from "./logs/activity.ts";
import { LogAuthors } from "./logs/log-authors.ts";
import { LogLists } from "./logs/log-lists.ts";
import { type LogOrigins, readOrigins } from "./logs/log-origins.ts";
import { SchemaLists } from "./logs/schema-lists.ts";
import type { ReadContext } from "./scan/context.ts";
import { TransactionLists } from "./transactions/transaction-lists.ts";
import { BalanceHistory } from "./volumes/balance-history.ts";
import { BalanceSums } from "./volumes/balances.ts";
import { SubtreeSums } from "./volumes/subtree-sums.ts";
import { VolumeLists } from "./volumes/volume-lists.ts";
import type { ImportNote } from "#ledger-engine/rules/log/import-notes.ts";
import type {
  AccountSegment,
  LedgerActivity,
  ActivityQuery,
  AssetBalance,
  BalanceHistoryQuery,
  BalanceInterval,
  BalancesQuery,
  CountPart,
  CountQuery,
  EntryAuthor,
  LedgerHead,
  LogListEntry,
  LogPart,
  LogTextPage,
  SingleRead,
  SubtreeQuery,
  SubtreeSum,
  SumBudget,
  VolumeExpansion,
  VolumeRow,
} from "#ledger-engine/rules/reads.ts";
import type { AccountRecord, StoredSchema, Transaction } from "#ledger-engine/rules/types.ts";
import { readLedgerHead } from "#ledger-engine/storage/log/ledger-head.ts";
import type { RangeLimits } from "#ledger-engine/storage/log/log-tables.ts";
import { MetadataHistory } from "#ledger-engine/storage/metadata-history.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";

/** All reads of one ledger. Each read sees the ledger at one moment, and changes nothing. */
export class LedgerReads {
  readonly #transactions: TransactionLists;
  readonly #accounts: AccountLists;
  readonly #tree: AccountTree;
  readonly #subtrees: SubtreeSums;
  readonly #activity: ActivityHistory;
  readonly #volumes: VolumeLists;
  readonly #balances: BalanceSums;
  readonly #balanceHistory: BalanceHistory;
  readonly #logs: LogLists;
  readonly #schemas: SchemaLists;
  readonly #authors: LogAuthors;
  readonly #context: ReadContext;
  /** Reads that may take long, in steps between which the ledger may be written to. Each read sees the moment of its first step. */
  readonly inSteps = {
    listVolumes: (query: PageQuery) => this.#volumes.listInSteps(query),
    aggregateBalances: (query: BalancesQuery) => this.#balances.aggregateInSteps(query),
    activity: (query: ActivityQuery) => this.#activity.readInSteps(query),
  };

  constructor(dependencies: Omit<ReadContext, "history">) {
    const context = { ...dependencies, history: new MetadataHistory(dependencies.sql) };
    this.#context = context;
    this.#transactions = new TransactionLists(context);
    this.#accounts = new AccountLists(context);
    this.#tree = new AccountTree(context);
    this.#subtrees = new SubtreeSums(context);
    this.#activity = new ActivityHistory(context);
    this.#volumes = new VolumeLists(context);
    this.#balances = new BalanceSums(context);
    this.#balanceHistory = new BalanceHistory(context);
    this.#logs = new LogLists(context);
    this.#schemas = new SchemaLists(context);
    this.#authors = new LogAuthors(context);
  }

  findTransaction(id: number, read: SingleRead): Transaction | undefined {
    return this.#transactions.find(id, read);
  }

  listTransactions(query: PageQuery, expansion: VolumeExpansion): Page<Transaction> {
    return this.#transactions.list(query, expansion);
  }

  /** Counts transactions in parts. `after` comes from the part before. */
  countTransactions(query: CountQuery, after?: string): CountPart {
    return this.#transactions.count(query, after);
  }

  /** Finds an account. Throws `VALIDATION` for volumes that the ledger's features don't provide. */
  findAccount(address: string, read: SingleRead): AccountRecord | undefined {
    return this.#accounts.find(address, read);
  }

  /** Lists accounts. Throws `VALIDATION` for volumes that the ledger's features don't provide. */
  listAccounts(query: PageQuery, expansion: VolumeExpansion): Page<AccountRecord> {
    return this.#accounts.list(query, expansion);
  }

  countAccounts(query: CountQuery, after?: string): CountPart {
    return this.#accounts.count(query, after);
  }

  /** A page of one level of the tree that the addresses make. Throws `VALIDATION`. */
  accountTree(query: PageQuery): Page<AccountSegment> {
    return this.#tree.list(query);
  }

  /** Goes on with a sum over the accounts at and below an address. Throws `VALIDATION` as `aggregateBalances` does. */
  subtreeSum(query: SubtreeQuery, budget: SumBudget): SubtreeSum {
    return this.#subtrees.read(query, budget);
  }

  /** Counts what was written over time. Throws `VALIDATION` for a bad period. */
  activity(query: ActivityQuery): LedgerActivity {
    return this.#activity.read(query);
  }

  listVolumes(query: PageQuery): Page<VolumeRow> {
    return this.#volumes.list(query);
  }

  aggregateBalances(query: BalancesQuery): AssetBalance[] {
    return this.#balances.aggregate(query);
  }

  balanceHistory(query: BalanceHistoryQuery): BalanceInterval[] {
    return this.#balanceHistory.read(query);
  }

  listLogs(query: PageQuery): Page<LogListEntry> {
    return this.#logs.list(query);
  }

  /** The first entries after `after` and up to `to`, oldest first. */
  logsAfter(after: number, to: number, limits: RangeLimits): LogPart {
    return this.#logs.after(after, to, limits);
  }

  /** Exports a page of the log after an entry: one line of JSON for each entry. */
  exportLogs(after: number, to?: number, countMax?: number): LogTextPage {
    return this.#logs.export(after, to, countMax);
  }

  /** How far the ledger has come. */
  head(): LedgerHead {
    return readLedgerHead(this.#context.sql);
  }

  /** What the log does not determine of the first entries after `after` and up to `to`: of at least one. */
  origins(after: number, to: number): LogOrigins {
    return readOrigins(this.#context, after, to);
  }

  /** Forgets the volumes for the next pages of exports, because no export is under way, or rows may have been rolled back. */
  endExports(): void {
    this.#logs.endExports();
  }

  /** Forgets what reads keep in memory, because rows may have been rolled back. */
  forgetRows(): void {
    this.endExports();
    this.#subtrees.reset();
    this.#activity.reset();
  }

  /** The author of an entry; undefined if the entry does not exist. */
  findAuthor(logId: number): EntryAuthor | undefined {
    return this.#authors.find(logId);
  }

  /** Notes about unusual imported entries, by the ids of the entries. */
  listImportNotes(query: PageQuery): Page<ImportNote> {
    return this.#logs.listNotes(query);
  }

  findSchema(version: string): StoredSchema | undefined {
    return this.#schemas.find(version);
  }

  listSchemas(query: PageQuery): Page<StoredSchema> {
    return this.#schemas.list(query);
  }
}

/** The name of a read. All these reads can be called from outside the object. */
export type ReadName = Exclude<
  keyof LedgerReads,
  "inSteps" | "endExports" | "forgetRows" | "head" | "logsAfter" | "origins"
>;
