import { type FilledLedger, userAddress } from "./fill.ts";
import { wholePage } from "./whole-page.ts";
import type { LedgerEngine } from "#ledger-engine/engine.ts";
import { type Account, type Asset, WORLD } from "#ledger-engine/rules/types.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { ColumnQuery, Order, PageKey, PageQuery } from "#platform/paging/query.ts";
import { fromMicros, toMicros } from "#platform/time.ts";

/** A read of a filled ledger, and its time limit. */
export interface ReadCase {
  readonly name: string;
  readonly limitMs: number;
  readonly run: () => unknown;
}

/** The limit for a page of a list with a filter of one key, in milliseconds. */
const PAGE_MS = 50;
/** The limit for a page whose filter no index serves, in milliseconds. */
const SCAN_MS = 400;
const AGGREGATE_MS = 300;
/** The limits for sums that writes keep up to date, and for a first sum of 100,000 accounts, which reads each account, in milliseconds. */
const KEPT_MS = 5;
const FIRST_MS = 1500;
const PAGE_SIZE = 15;
const BARE = { volumes: false, effectiveVolumes: false };

/** A filter with its name. `scan` marks a filter that no index serves. */
type NamedFilter = readonly [name: string, filter: object | undefined, isScan?: "scan"];

interface List {
  readonly resource: string;
  readonly column: string;
  readonly order: Order;
  /** The key in the middle of the list at which a deep page starts. */
  readonly deep: PageKey;
  readonly filters: readonly NamedFilter[];
  readonly read: (query: PageQuery) => Page<unknown>;
}

export function readCases(ledger: FilledLedger): ReadCase[] {
  return [...lists(ledger).flatMap(listCases), ...otherCases(ledger)];
}

/** Reads of the first page and of a page from the middle of the list, for each filter. */
const listCases = (list: List): ReadCase[] =>
  list.filters.flatMap(([name, filter, isScan]) =>
    (["first", "deep"] as const).map((place) => {
      const query: ColumnQuery = {
        kind: "column",
        column: list.column,
        order: list.order,
        pageSize: PAGE_SIZE,
        reverse: false,
        ...(filter === undefined ? {} : { where: JSON.stringify(filter) }),
        ...(place === "first" ? {} : { start: list.deep, bottom: list.deep }),
      };
      return {
        name: `${list.resource} ${name} ${place}`,
        limitMs: isScan === undefined ? PAGE_MS : SCAN_MS,
        run: () => wholePage(query, list.read),
      };
    }),
  );

function lists(ledger: FilledLedger): List[] {
  const { reads } = ledger.engine;
  const { accounts, size } = ledger;
  const account = userAddress(Math.floor(accounts / 2));
  const byId = {
    column: "id",
    order: "desc",
    deep: { value: BigInt(Math.floor(size / 2)) },
  } as const;
  const transactions = transactionFilters(ledger);
  const volumes = { column: "account", order: "asc", deep: { value: `${account} ` } } as const;
  return [
    {
      ...byId,
      resource: "transactions",
      filters: transactions,
      read: (query) => reads.listTransactions(query, BARE),
    },
    {
      resource: "transactions-by-timestamp",
      column: "timestamp",
      order: "desc",
      deep: { value: toMicros(ledger.middle), tie: byId.deep.value },
      filters: transactions.filter(([name]) => /none|^account=user|world|batch/.test(name)),
      read: (query) => reads.listTransactions(query, BARE),
    },
    {
      resource: "accounts",
      column: "address",
      order: "asc",
      deep: { value: account },
      filters: accountFilters(ledger, "address"),
      read: (query) => reads.listAccounts(query, BARE),
    },
    {
      ...volumes,
      resource: "volumes",
      filters: accountFilters(ledger, "account").filter(
        ([name]) => !/insertion|updated/.test(name),
      ),
      read: (query) => reads.listVolumes({ ...query, options: CURRENT }),
    },
    {
      ...volumes,
      resource: "volumes-window",
      filters: [
        ["none", undefined],
        ["account=user", { $match: { account } }],
      ],
      read: (query) => reads.listVolumes({ ...query, pit: ledger.middle, options: CURRENT }),
    },
    {
      ...byId,
      resource: "logs",
      filters: logFilters(ledger),
      read: (query) => reads.listLogs(query),
    },
  ];
}

const CURRENT = { insertionDate: false, groupBy: 0 };

function transactionFilters({ middle, size, accounts }: FilledLedger): NamedFilter[] {
  const user = userAddress(Math.floor(accounts / 3));
  const [, segment = ""] = user.split(":");
  const soon = fromMicros(toMicros(middle) + 10_000_000n);
  const dates = ["timestamp", "inserted_at", "updated_at", "reverted_at"];
  return [
    ["none", undefined],
    ["id=", { $match: { id: Math.floor(size / 3) } }],
    ["id<", { $lt: { id: Math.floor(size / 3) } }],
    ["reference=", { $match: { reference: `ref-${Math.floor(size / 3)}` } }],
    ["reference like prefix", { $like: { reference: "ref-123%" } }],
    ["reference like suffix", { $like: { reference: "%999" } }, "scan"],
    ...dates.flatMap((key): NamedFilter[] => [
      [`${key}<`, { $lt: { [key]: middle } }],
      [`${key}>`, { $gt: { [key]: middle } }],
      [`${key} window`, { $and: [{ $gte: { [key]: middle } }, { $lt: { [key]: soon } }] }],
    ]),
    ["reverted", { $match: { reverted: true } }],
    ["not reverted", { $not: { $match: { reverted: true } } }, "scan"],
    ["account=user", { $match: { account: user } }],
    ["account=world", { $match: { account: "world" } }],
    ["source=world", { $match: { source: "world" } }],
    ["destination=world", { $match: { destination: "world" } }],
    ["source=user", { $match: { source: user } }],
    ["destination=user", { $match: { destination: user } }],
    ["source=merchant", { $match: { source: "merchants:77" } }],
    ["account=nobody", { $match: { account: "nobody" } }],
    ["account in", { $in: { account: [user, "merchants:7", "merchants:8"] } }],
    ["account=users:...", { $match: { account: "users:..." } }],
    ["account=users:N:", { $match: { account: `users:${segment}:` } }],
    ["account=merchants:", { $match: { account: "merchants:" } }],
    ["source=merchants:", { $match: { source: "merchants:" } }],
    ["account=:N:main", { $match: { account: `:${segment}:main` } }, "scan"],
    ["metadata[kind]", { $match: { "metadata[kind]": "deposit" } }],
    ["metadata[batch]", { $match: { "metadata[batch]": "b77" } }],
    ["metadata exists", { $exists: { metadata: "batch" } }],
    ["metadata absent", { $not: { $exists: { metadata: "batch" } } }, "scan"],
    ["metadata nowhere", { $exists: { metadata: "nowhere" } }],
  ];
}

function accountFilters({ middle, accounts }: FilledLedger, key: string): NamedFilter[] {
  const user = userAddress(Math.floor(accounts / 3));
  const [, segment = ""] = user.split(":");
  const dates = ["first_usage", "insertion_date", "updated_at"];
  return [
    ["none", undefined],
    ["address=user", { $match: { [key]: user } }],
    ["address in", { $in: { [key]: [user, "world", "nobody"] } }],
    ["address=users:...", { $match: { [key]: "users:..." } }],
    ["address=users:N:", { $match: { [key]: `users:${segment}:` } }],
    ["address=users::main", { $match: { [key]: "users::main" } }],
    ["address=:N:", { $match: { [key]: `:${segment}:` } }, "scan"],
    ["address=::other", { $match: { [key]: "::other" } }, "scan"],
    ...dates.flatMap((date): NamedFilter[] => [
      [`${date}<`, { $lt: { [date]: middle } }],
      [`${date}>`, { $gt: { [date]: middle } }],
    ]),
    ["balance>", { $gt: { "balance[USD/2]": 0 } }, "scan"],
    ["balance> rare", { $gt: { "balance[USD/2]": 900_000_000 } }, "scan"],
    ["any balance rare", { $gt: { balance: 900_000_000 } }, "scan"],
    ["metadata[tier]", { $match: { "metadata[tier]": "gold" } }],
    ["metadata exists", { $exists: { metadata: "tier" } }],
    ["metadata absent", { $not: { $exists: { metadata: "tier" } } }, "scan"],
    ["metadata nowhere", { $exists: { metadata: "nowhere" } }],
  ];
}

const logFilters = ({ middle, size }: FilledLedger): NamedFilter[] => [
  ["none", undefined],
  ["id=", { $match: { id: Math.floor(size / 3) } }],
  ["id<", { $lt: { id: Math.floor(size / 3) } }],
  ["date<", { $lt: { date: middle } }],
  ["date>", { $gt: { date: middle } }],
  ...["NEW_TRANSACTION", "REVERTED_TRANSACTION", "SET_METADATA", "DELETE_METADATA"].map(
    (type): NamedFilter => [`type=${type}`, { $match: { type } }],
  ),
];

/** Writes to an account that a filter matches, so that the sums of the filter change. */
function pay(engine: LedgerEngine, destination: Account): void {
  const posting = { source: WORLD, destination, amount: 1n, asset: "USD/2" as Asset }; // The text has the right form.
  const command = {
    kind: "createTransaction",
    postings: [posting],
    metadata: {},
    force: false,
  } as const;
  engine.execute(command, { idempotencyKey: "", dryRun: false });
}

/** A filter by two of three segments for all users, whose accounts are no range of addresses. */
const EVERY_USER = { $match: { address: "users::main" } };

function otherCases({ engine, accounts, middle }: FilledLedger): ReadCase[] {
  const { reads } = engine;
  const account = userAddress(Math.floor(accounts / 2)) as Account; // The text has the right form.
  const balances = (name: string, where: object | undefined, limitMs: number): ReadCase => ({
    name: `balances ${name}`,
    limitMs,
    run: () =>
      reads.aggregateBalances({
        useInsertionDate: false,
        ...(where === undefined ? {} : { where: JSON.stringify(where) }),
      }),
  });
  const sumOfUsers = balances("address=users::main", EVERY_USER, KEPT_MS);
  return [
    balances("none", undefined, PAGE_MS),
    balances("address=users:...", { $match: { address: "users:..." } }, AGGREGATE_MS),
    balances("address=merchants:", { $match: { address: "merchants:" } }, PAGE_MS),
    balances("address=users::main kept", EVERY_USER, KEPT_MS),
    {
      name: "balances address=users::main beside writes",
      limitMs: KEPT_MS,
      run: () => {
        pay(engine, account);
        return sumOfUsers.run();
      },
    },
    {
      name: "balances address=users::main first",
      limitMs: FIRST_MS,
      run: () => {
        engine.forgetRows();
        return sumOfUsers.run();
      },
    },
    balances("address=user", { $match: { address: account } }, PAGE_MS),
    balances("metadata[tier]", { $match: { "metadata[tier]": "gold" } }, PAGE_MS),
    {
      name: "transaction with volumes",
      limitMs: PAGE_MS,
      run: () => reads.findTransaction(1000, { volumes: true, effectiveVolumes: true }),
    },
    {
      name: "account with volumes",
      limitMs: PAGE_MS,
      run: () => reads.findAccount(account, { volumes: true, effectiveVolumes: false }),
    },
    {
      name: "account at a point in time",
      limitMs: PAGE_MS,
      run: () => reads.findAccount("world", { volumes: true, effectiveVolumes: true, pit: middle }),
    },
    {
      name: "transactions of an account, counted",
      limitMs: PAGE_MS,
      run: () => reads.countTransactions({ where: JSON.stringify({ $match: { account } }) }),
    },
  ];
}
