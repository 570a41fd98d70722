import { type RowValues, type FilterJson, isMatch, keysOf } from "./naive-filter.ts";
import {
  type AccountVersion,
  accountVersionsOf,
  grouped,
  pairName,
  transactionMetadataOf,
  transactionsOf,
  volumesOf,
} from "./replay.ts";
import type {
  AssetBalance,
  BalanceInterval,
  LogListEntry,
  VolumeRow,
} from "#ledger-engine/rules/reads.ts";
import type {
  Account,
  AccountRecord,
  AccountVolumes,
  Asset,
  Features,
  Metadata,
  Transaction,
} from "#ledger-engine/rules/types.ts";
import type { FailureKind } from "#platform/errors.ts";
import type { Order } from "#platform/paging/query.ts";
import { fromMicros, type Timestamp, toMicros } from "#platform/time.ts";
import { netOf, pairsOf, sumOf } from "#test/support/ledger-engine/model/sums.ts";

/** The parameters of a list, without its pages. */
export interface ListQuery {
  readonly where?: FilterJson | undefined;
  readonly pit?: Timestamp | undefined;
  readonly oot?: Timestamp | undefined;
  readonly column: string;
  readonly order: Order;
}

export interface ExpandedListQuery extends ListQuery {
  readonly volumes: boolean;
  readonly effectiveVolumes: boolean;
}

export interface VolumeQuery extends ListQuery {
  readonly insertionDate: boolean;
  readonly groupBy: number;
}

export interface BalanceQuery extends Pick<ListQuery, "where" | "pit"> {
  readonly useInsertionDate: boolean;
}

/** The parameters of a balance history. All of its intervals have the same length, except for the last one. */
export interface BalanceHistoryQuestion {
  readonly account: Account;
  readonly asset: Asset;
  readonly startTime: Timestamp;
  readonly endTime: Timestamp;
  /** The length of an interval in microseconds. */
  readonly interval: bigint;
  readonly insertionDate: boolean;
}

/** All rows of the answer, or the kind of a refusal: `VALIDATION` if the features of the ledger exclude the read. */
export type Answer<T> = readonly T[] | FailureKind;

/**
 * Answers every read of a ledger from its log alone, by plain loops over the whole log. The state at a point in time is
 * computed by a replay of all entries up to it.
 */
export class LedgerHistory {
  readonly entries: readonly LogListEntry[];
  /** The current transactions, without volumes. */
  readonly transactions: readonly Transaction[];
  /** The current accounts, without volumes, in the order of their creation. */
  readonly accounts: readonly AccountRecord[];
  readonly #features: Features;
  readonly #versions: readonly (readonly AccountVersion[])[];
  readonly #expanded = new Map<number, Transaction>();

  constructor(entries: readonly LogListEntry[], features: Features) {
    this.entries = entries;
    this.#features = features;
    this.transactions = transactionsOf(entries);
    this.#versions = accountVersionsOf(entries);
    this.accounts = this.#versions.flatMap((versions) => versions.at(-1)?.account ?? []);
  }

  listTransactions(query: ExpandedListQuery): Answer<Transaction> {
    const { pit, where } = query;
    const metadata = this.#transactionMetadata(pit);
    const rows = this.transactions
      .filter(({ timestamp }) => pit === undefined || timestamp <= pit)
      .map((transaction) => hideLaterRevert(transaction, pit))
      .map((transaction) => ({ ...transaction, metadata: metadata.get(transaction.id) ?? {} }))
      .filter((transaction) => isMatch(where, factsOfTransaction(transaction)));
    return sortBy(rows, query, {
      keyOf: (row) => transactionKey(row, query.column),
      tieOf: ({ id }) => id,
    }).map((row) => ({ ...row, ...this.#volumesOf(row, query) }));
  }

  findTransaction(id: number, query: ExpandedListQuery): Transaction | undefined {
    const found = this.listTransactions({ ...query, where: { $match: { id: BigInt(id) } } });
    return found[0] as Transaction | undefined; // a list of transactions is never refused
  }

  listAccounts(query: ExpandedListQuery): Answer<AccountRecord> {
    const { pit, where } = query;
    if (query.volumes && !this.#keepsMoves) return "VALIDATION";
    if (query.effectiveVolumes && !this.#keepsEffective) return "VALIDATION";
    if (pit !== undefined && !this.#keepsMoves && namesBalance(where)) return "VALIDATION";
    const metadata = this.#accountMetadata(pit);
    const inserted = this.#volumes((it) => pit === undefined || it.insertedAt <= pit);
    const effective = this.#volumes((it) => pit === undefined || it.timestamp <= pit);
    const rows = this.accounts
      .filter(({ firstUsage }) => pit === undefined || firstUsage <= pit)
      .map((account) => ({ ...account, metadata: metadata.get(account.address) ?? {} }))
      .filter((account) => isMatch(where, factsOfAccount(account, effective)));
    const places = new Map(this.accounts.map(({ address }, place) => [address, place]));
    return sortBy(rows, query, {
      keyOf: (row) => accountKey(row, query.column),
      tieOf: ({ address }) => places.get(address) ?? 0,
    }).map((row) => ({
      ...row,
      ...(query.volumes ? { volumes: ofAccount(inserted, row.address) } : {}),
      ...(query.effectiveVolumes ? { effectiveVolumes: ofAccount(effective, row.address) } : {}),
    }));
  }

  findAccount(address: string, query: ExpandedListQuery): Answer<AccountRecord | undefined> {
    const all = this.listAccounts({ ...query, where: undefined });
    return typeof all === "string" ? all : [all.find((account) => account.address === address)];
  }

  listVolumes(query: VolumeQuery): Answer<VolumeRow> {
    const { where, pit, oot, insertionDate, groupBy } = query;
    if ((pit !== undefined || oot !== undefined) && !this.#keepsMoves) return "VALIDATION";
    const metadata = this.#accountMetadata(pit);
    const accounts = new Map(this.accounts.map((account) => [account.address, account]));
    const rows = this.#volumes(({ insertedAt, timestamp }) => {
      const date = insertionDate ? insertedAt : timestamp;
      return (pit === undefined || date <= pit) && (oot === undefined || date >= oot);
    }).filter((row) => {
      const firstUsage = accounts.get(row.account)?.firstUsage;
      return isMatch(where, factsOfVolumes(row, firstUsage, metadata.get(row.account) ?? {}));
    });
    const sign = query.order === "asc" ? 1 : -1;
    return grouped(rows, groupBy).toSorted(
      (a, b) => compare(a.account, b.account) * sign || compare(a.asset, b.asset),
    );
  }

  /** The balances of each asset, summed over the matching accounts. */
  aggregateBalances({ where, pit, useInsertionDate }: BalanceQuery): Answer<AssetBalance> {
    const byInsertion = pit !== undefined && useInsertionDate;
    if (byInsertion && !this.#keepsMoves) return "VALIDATION";
    if (pit !== undefined && !byInsertion && !this.#keepsEffective) return "VALIDATION";
    if (pit !== undefined && !this.#keepsMoves) return [];
    const metadata = this.#accountMetadata(pit);
    const balances = new Map<Asset, bigint>();
    for (const { account, asset, input, output } of this.#volumes(
      ({ insertedAt, timestamp }) =>
        pit === undefined || (byInsertion ? insertedAt : timestamp) <= pit,
    )) {
      const values: RowValues = {
        address: { type: "addresses", values: [account] },
        metadata: { type: "metadata", values: metadata.get(account) ?? {} },
      };
      if (!isMatch(where, values)) continue;
      balances.set(asset, (balances.get(asset) ?? 0n) + input - output);
    }
    return [...balances]
      .map(([asset, balance]) => ({ asset, balance }))
      .toSorted((a, b) => compare(a.asset, b.asset));
  }

  listLogs(query: ListQuery): Answer<LogListEntry> {
    const rows = this.entries.filter(({ id, date, data }) =>
      isMatch(query.where, {
        id: { type: "number", value: BigInt(id) },
        date: { type: "date", value: date },
        type: { type: "text", value: data.type },
      }),
    );
    return sortBy(rows, query, {
      keyOf: ({ date }) => (query.column === "date" ? date : ""),
      tieOf: ({ id }) => id,
    });
  }

  /** The amounts that moved in each interval, which includes its start and excludes its end, and the balance at its end. */
  balanceHistory(query: BalanceHistoryQuestion): Answer<BalanceInterval> {
    const { account, asset } = query;
    if (!this.#keepsMoves || !(this.#keepsEffective || query.insertionDate)) return "VALIDATION";
    if (!this.transactions.some((it) => hasMoved(it, account, asset))) return "NOT_FOUND";
    const last = toMicros(query.endTime);
    const intervals: BalanceInterval[] = [];
    for (let from = toMicros(query.startTime); from < last; from += query.interval) {
      const to = from + query.interval < last ? from + query.interval : last;
      const [startTime, endTime] = [fromMicros(from), fromMicros(to)];
      const dateOf = ({ insertedAt, timestamp }: Transaction): Timestamp =>
        query.insertionDate ? insertedAt : timestamp;
      const before = this.transactions.filter((it) => dateOf(it) < endTime);
      const within = before.filter((it) => dateOf(it) >= startTime);
      const balance = before.reduce((sum, it) => sum + netOf(it.postings, account, asset), 0n);
      const { input, output } = sumOf(within, { account, asset });
      intervals.push({ startTime, endTime, input, output, balance });
    }
    return intervals;
  }

  /** The volumes of each account and asset that some of the transactions move. */
  #volumes(isCounted: (transaction: Transaction) => boolean): AccountVolumes[] {
    return volumesOf(this.transactions.filter(isCounted));
  }

  /** The volumes of a transaction's accounts after it, in both orders. They are equal at every point in time. */
  #volumesOf(
    { id }: Transaction,
    { volumes, effectiveVolumes }: ExpandedListQuery,
  ): Partial<Transaction> {
    const known = this.#expanded.get(id) ?? this.#withVolumes(id);
    this.#expanded.set(id, known);
    return {
      ...(volumes && known.volumes !== undefined ? { volumes: known.volumes } : {}),
      ...(effectiveVolumes && this.#keepsMoves && this.#keepsEffective
        ? { effectiveVolumes: known.effectiveVolumes ?? [] }
        : {}),
    };
  }

  #withVolumes(id: number): Transaction {
    const transaction = this.transactions.find((it) => it.id === id);
    if (transaction === undefined) throw new Error(`no transaction ${id}`);
    const before = this.transactions.filter((it) => it.id < id);
    const earlier = this.transactions.filter(
      (it) =>
        it.timestamp < transaction.timestamp ||
        (it.timestamp === transaction.timestamp && it.id < id),
    );
    const touched = new Set(volumesOf([transaction]).map(pairName));
    const after = (list: readonly Transaction[]): AccountVolumes[] =>
      volumesOf([...list, transaction]).filter((it) => touched.has(pairName(it)));
    return { ...transaction, volumes: after(before), effectiveVolumes: after(earlier) };
  }

  /** The metadata of transactions, by id. */
  #transactionMetadata(pit: Timestamp | undefined): Map<number, Metadata> {
    const isKept = this.#features.TRANSACTION_METADATA_HISTORY === "SYNC";
    return transactionMetadataOf(this.entries, isKept ? pit : undefined);
  }

  #accountMetadata(pit: Timestamp | undefined): Map<string, Metadata> {
    const isKept = this.#features.ACCOUNT_METADATA_HISTORY === "SYNC";
    const seen = this.#versions.flatMap((versions) => {
      const found = versions.findLast(({ since }) => !isKept || pit === undefined || since <= pit);
      return found?.account ?? [];
    });
    return new Map(seen.map(({ address, metadata }) => [address, metadata]));
  }

  get #keepsMoves(): boolean {
    return this.#features.MOVES_HISTORY === "ON";
  }

  get #keepsEffective(): boolean {
    return this.#features.MOVES_HISTORY_POST_COMMIT_EFFECTIVE_VOLUMES === "SYNC";
  }
}

/** At a point in time, later reverts have not happened. */
function hideLaterRevert(transaction: Transaction, pit: Timestamp | undefined): Transaction {
  const { revertedAt, ...rest } = transaction;
  return revertedAt !== undefined && pit !== undefined && revertedAt > pit ? rest : transaction;
}

function factsOfTransaction(transaction: Transaction): RowValues {
  const { id, postings, metadata, timestamp, reference, insertedAt, updatedAt, revertedAt } =
    transaction;
  const sources = postings.map(({ source }) => source);
  const destinations = postings.map(({ destination }) => destination);
  return {
    id: { type: "number", value: BigInt(id) },
    reference: { type: "text", value: reference },
    timestamp: { type: "date", value: timestamp },
    inserted_at: { type: "date", value: insertedAt },
    updated_at: { type: "date", value: updatedAt },
    reverted_at: { type: "date", value: revertedAt },
    reverted: { type: "boolean", value: revertedAt !== undefined },
    account: { type: "addresses", values: [...sources, ...destinations] },
    source: { type: "addresses", values: sources },
    destination: { type: "addresses", values: destinations },
    metadata: { type: "metadata", values: metadata },
  };
}

function factsOfAccount(account: AccountRecord, volumes: readonly AccountVolumes[]): RowValues {
  const balances = ofAccount(volumes, account.address).map(
    ({ asset, input, output }) => [asset, input - output] as const,
  );
  return {
    address: { type: "addresses", values: [account.address] },
    first_usage: { type: "date", value: account.firstUsage },
    insertion_date: { type: "date", value: account.insertionDate },
    updated_at: { type: "date", value: account.updatedAt },
    balance: { type: "balances", values: new Map(balances) },
    metadata: { type: "metadata", values: account.metadata },
  };
}

/** A row of volumes has the balance of its own asset only. */
function factsOfVolumes(
  { account, asset, input, output }: AccountVolumes,
  firstUsage: Timestamp | undefined,
  metadata: Metadata,
): RowValues {
  return {
    account: { type: "addresses", values: [account] },
    address: { type: "addresses", values: [account] },
    balance: { type: "balances", values: new Map([[asset, input - output]]), isOneRow: true },
    first_usage: { type: "date", value: firstUsage },
    metadata: { type: "metadata", values: metadata },
  };
}

const ofAccount = (volumes: readonly AccountVolumes[], address: string): AccountVolumes[] =>
  volumes.filter(({ account }) => account === address);

/** Whether a test of the filter is about balances. */
const namesBalance = (where: FilterJson | undefined): boolean =>
  where !== undefined && keysOf(where).some((key) => /^balance(\[|$)/.test(key));

/** The sort key of a transaction as text. Transactions without a revert come before those with one. */
function transactionKey(transaction: Transaction, column: string): string {
  switch (column) {
    case "id":
      return "";
    case "timestamp":
      return transaction.timestamp;
    case "inserted_at":
      return transaction.insertedAt;
    case "updated_at":
      return transaction.updatedAt;
    case "reverted_at":
      return transaction.revertedAt ?? "";
    default:
      throw new Error(`transactions are not sorted by ${column}`);
  }
}

function accountKey(account: AccountRecord, column: string): string {
  switch (column) {
    case "address":
      return account.address;
    case "first_usage":
      return account.firstUsage;
    case "insertion_date":
      return account.insertionDate;
    case "updated_at":
      return account.updatedAt;
    default:
      throw new Error(`accounts are not sorted by ${column}`);
  }
}

function sortBy<T>(
  rows: readonly T[],
  { order }: ListQuery,
  { keyOf, tieOf }: { keyOf: (row: T) => string; tieOf: (row: T) => string | number },
): T[] {
  const sign = order === "asc" ? 1 : -1;
  return rows.toSorted(
    (a, b) => (compare(keyOf(a), keyOf(b)) || compare(tieOf(a), tieOf(b))) * sign,
  );
}

const compare = <V extends string | number>(a: V, b: V): number => (a === b ? 0 : a < b ? -1 : 1);

const hasMoved = ({ postings }: Transaction, account: Account, asset: Asset): boolean =>
  pairsOf(postings).some((pair) => pair.account === account && pair.asset === asset);
