import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import { expect } from "vitest";
import type { Answer, LedgerHistory, ListQuery } from "./history.ts";
import type { FilterJson } from "./naive-filter.ts";
import { type LedgerQuery, queriesAbout } from "./queries.ts";
import { makeRandomLedger, type RandomLedger, type RandomLedgerOptions } from "./random-ledger.ts";
import type { LedgerReads } from "#ledger-engine/read/ledger-reads.ts";
import type { CountPart, CountQuery } from "#ledger-engine/rules/reads.ts";
import { AppError, type FailureKind } from "#platform/errors.ts";
import { stringifyJson } from "#platform/json.ts";
import { type CursorRules, decodeCursor } from "#platform/paging/cursor.ts";
import { type Page } from "#platform/paging/pagination.ts";
import { type PageQuery } from "#platform/paging/query.ts";

/** Sends random reads to a random ledger, and compares each answer with that of the naive reader. */
export function assertReads({
  queries,
  ...options
}: RandomLedgerOptions & { queries: number }): void {
  const random = makeRandomLedger(options);
  expect(random.history.transactions.length).toBeGreaterThanOrEqual(300);
  const property = fc.property(queriesAbout(random.history), (query) => checkQuery(random, query));
  try {
    fc.assert(property, { seed: options.seed, numRuns: queries });
  } catch (cause) {
    throw new Error(`a read of the ledger ${JSON.stringify(options)} differs`, { cause });
  }
}

type QueryOf<R extends LedgerQuery["read"]> = Extract<LedgerQuery, { read: R }>;
type PagedQuery = QueryOf<keyof typeof LISTS>;

/** Sends a read, and compares the answer with that of the naive reader. */
export function checkQuery({ ledger, history }: RandomLedger, query: LedgerQuery): void {
  const { reads } = ledger.engine;
  switch (query.read) {
    case "transactions":
      return checkTransactions(reads, history, query);
    case "accounts":
      return checkAccounts(reads, history, query);
    case "volumes":
      return checkWalk(query, history.listVolumes(query), (page) => reads.listVolumes(page));
    case "logs":
      return checkWalk(query, history.listLogs(query), (page) => reads.listLogs(page));
    case "balances": {
      const question = { ...query, where: toText(query.where) };
      return checkRows(() => reads.aggregateBalances(question), history.aggregateBalances(query));
    }
    case "balanceHistory":
      return checkRows(() => reads.balanceHistory(query), history.balanceHistory(query));
    case "malformed":
      return checkMalformed(reads, query);
  }
}

function checkTransactions(
  reads: LedgerReads,
  history: LedgerHistory,
  query: QueryOf<"transactions">,
): void {
  const expected = history.listTransactions(query);
  checkWalk(query, expected, (page) => reads.listTransactions(page, query));
  checkCount(query, expected, (count, after) => reads.countTransactions(count, after));
  checkRows(
    () => [reads.findTransaction(query.id, query)],
    [history.findTransaction(query.id, query)],
  );
}

function checkAccounts(
  reads: LedgerReads,
  history: LedgerHistory,
  query: QueryOf<"accounts">,
): void {
  checkWalk(query, history.listAccounts(query), (page) => reads.listAccounts(page, query));
  // The count is the same for any volumes.
  const counted = history.listAccounts({ ...query, volumes: false, effectiveVolumes: false });
  checkCount(query, counted, (count, after) => reads.countAccounts(count, after));
  checkRows(
    () => [reads.findAccount(query.address, query)],
    history.findAccount(query.address, query),
  );
}

/** Reads all pages from the first to the last and back, by the cursors that clients get. */
function checkWalk<T>(
  query: PagedQuery,
  expected: Answer<T>,
  read: (page: PageQuery) => Page<T>,
): void {
  // A walk takes at most PAGES_MAX pages, so only short lists are read in small pages.
  const rows = typeof expected === "string" ? 0 : expected.length;
  const pageSize = Math.max(query.pageSize, Math.ceil(rows / PAGES_MAX));
  const first = firstPage({ ...query, pageSize });
  if (typeof expected === "string") return checkRefusal(() => read(first), expected);
  const pages: (readonly T[])[] = [expected.slice(0, pageSize)];
  for (let at = pageSize; at < rows; at += pageSize) pages.push(expected.slice(at, at + pageSize));
  const forward: Page<T>[] = [read(first)];
  const backward: Page<T>[] = [];
  const rules: CursorRules = { ...LISTS[query.read], pageSizeMax: 1000 };
  const follow = (pages: Page<T>[], cursor: string): void => {
    if (pages.length > 2 * PAGES_MAX) throw new Error("the walk does not end");
    pages.push(read(decodeCursor(cursor, rules)));
  };
  for (let next = forward[0]?.next; next !== undefined; next = forward.at(-1)?.next) {
    follow(forward, next);
  }
  let previous = forward.at(-1)?.previous;
  for (; previous !== undefined; previous = backward.at(-1)?.previous) follow(backward, previous);
  expectSame(
    forward.map(({ data }) => data),
    pages,
  );
  expectSame(
    backward.map(({ data }) => data),
    pages.toReversed().slice(1),
  );
  expect(forward.map(({ hasMore }) => hasMore)).toEqual(
    pages.map((_, at) => at < pages.length - 1),
  );
}

/** Asserts that the rows and the pages are equal. A failure shows the first page that differs, or the number of pages. */
function expectSame<T>(
  pages: readonly (readonly T[])[],
  expected: readonly (readonly T[])[],
): void {
  for (const [at, page] of expected.entries()) {
    // Most pages are exactly equal, which this comparison finds faster.
    if (isDeepStrictEqual(pages[at], page)) continue;
    expect(pages[at]?.map(canonical)).toEqual(page.map(canonical));
  }
  expect(pages.length).toBe(expected.length);
}

const PAGES_MAX = 30;
/** The most parts of a count in these tests. */
const PARTS_MAX = 1000;

/** The allowed content of cursors of each list. */
const LISTS = {
  transactions: {
    list: "main/transactions",
    columns: {
      id: "integer",
      timestamp: "date",
      inserted_at: "date",
      updated_at: "date",
      reverted_at: "date",
    },
  },
  accounts: {
    list: "main/accounts",
    columns: { address: "text", first_usage: "date", insertion_date: "date", updated_at: "date" },
  },
  volumes: {
    list: "main/volumes",
    columns: { account: "text" },
    options: { insertionDate: false, groupBy: 0 },
  },
  logs: { list: "main/logs", columns: { id: "integer", date: "date" } },
} as const satisfies Record<string, Omit<CursorRules, "pageSizeMax">>;

function firstPage(query: PagedQuery): PageQuery {
  const { read, column, order, pageSize, pit, oot, byOffset } = query;
  const columns: CursorRules["columns"] = LISTS[read].columns;
  const where = toText(query.where);
  const common = {
    list: LISTS[read].list,
    column,
    order,
    pageSize,
    ...(pit === undefined ? {} : { pit }),
    ...(oot === undefined ? {} : { oot }),
    ...(where === undefined ? {} : { where }),
    ...(query.read === "volumes" ? { options: optionsOf(query) } : {}),
  };
  return byOffset && columns[column] === "text"
    ? { kind: "offset", ...common, offset: 0 }
    : { kind: "column", ...common, reverse: false };
}

const optionsOf = ({ insertionDate, groupBy }: QueryOf<"volumes">) => ({ insertionDate, groupBy });

/** Adds up the parts of a count and compares the sum with the expected rows. */
function checkCount(
  { where, pit }: Pick<ListQuery, "where" | "pit">,
  expected: Answer<unknown>,
  count: (query: CountQuery, after?: string) => CountPart,
): void {
  const query = { where: toText(where), pit };
  if (typeof expected === "string") return checkRefusal(() => count(query), expected);
  let part = count(query);
  let total = part.count;
  for (let parts = 1; part.after !== undefined; parts++) {
    if (parts > PARTS_MAX) throw new Error("the count does not end");
    part = count(query, part.after);
    total += part.count;
  }
  expect(total).toBe(expected.length);
}

function checkRows<T>(read: () => readonly T[], expected: Answer<T>): void {
  if (typeof expected === "string") return checkRefusal(read, expected);
  expectSame([read()], [expected]);
}

function checkMalformed(reads: LedgerReads, { resource, where, key }: QueryOf<"malformed">): void {
  const text = stringifyJson(where);
  const bare = { volumes: false, effectiveVolumes: false };
  const list = (read: keyof typeof LISTS, column: string): PageQuery => {
    const { list } = LISTS[read];
    return { kind: "column", list, column, order: "asc", pageSize: 1, reverse: false, where: text };
  };
  const READS = {
    transactions: [
      () => reads.listTransactions(list("transactions", "id"), bare),
      () => reads.countTransactions({ where: text }),
    ],
    accounts: [
      () => reads.listAccounts(list("accounts", "address"), bare),
      () => reads.countAccounts({ where: text }),
    ],
    volumes: [() => reads.listVolumes(list("volumes", "account"))],
    balances: [() => reads.aggregateBalances({ where: text, useInsertionDate: false })],
    logs: [() => reads.listLogs(list("logs", "id"))],
  };
  for (const read of READS[resource]) checkRefusal(read, "VALIDATION", key);
}

/** Asserts that a read is refused with a kind, and with a message that contains a text. */
function checkRefusal(read: () => unknown, kind: FailureKind, text = ""): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    expect(error.kind).toBe(kind);
    expect(error.message).toContain(text);
    return;
  }
  expect.fail("the read is not refused");
}

const toText = (where: FilterJson | undefined): string | undefined =>
  where === undefined ? undefined : stringifyJson(where);

/** A value as text, without undefined members, in which the order of members and of volumes does not matter. */
function canonical(value: unknown): string {
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "undefined";
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => `${JSON.stringify(key)}:${memberText(key, member)}`);
  return `{${members.toSorted().join()}}`;
}

function memberText(key: string, member: unknown): string {
  const isVolumes = Array.isArray(member) && key.toLowerCase().endsWith("volumes");
  return isVolumes ? `[${member.map(canonical).toSorted().join()}]` : canonical(member);
}
