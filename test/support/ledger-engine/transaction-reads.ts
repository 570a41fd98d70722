import { BARE, type TestLedger } from "./fixtures.ts";
import type { Transaction } from "#ledger-engine/rules/types.ts";
import { stringifyJson } from "#platform/json.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { ColumnQuery } from "#platform/paging/query.ts";
import type { Timestamp } from "#platform/time.ts";

const NEWEST_FIRST: ColumnQuery = {
  kind: "column",
  column: "id",
  order: "desc",
  pageSize: 1000,
  reverse: false,
};

/** The options of a list of transactions, which by default is the whole list, newest first. */
export type TransactionsWanted = Partial<Omit<ColumnQuery, "where" | "kind">> & {
  readonly where?: object | undefined;
};

export const transactionPage = (
  ledger: TestLedger,
  { where, ...query }: TransactionsWanted = {},
  expansion = BARE,
): Page<Transaction> =>
  ledger.engine.reads.listTransactions(
    { ...NEWEST_FIRST, ...query, ...(where === undefined ? {} : { where: stringifyJson(where) }) },
    expansion,
  );

export const idsOf = (ledger: TestLedger, query: TransactionsWanted = {}): number[] =>
  transactionPage(ledger, query).data.map(({ id }) => id);

/** The filter and the point in time of a count. */
export interface CountWanted {
  readonly where?: object | undefined;
  readonly pit?: Timestamp | undefined;
}

/** Counts transactions; returns the number of each part of the count. */
export function countParts(ledger: TestLedger, { where, pit }: CountWanted = {}): number[] {
  const query = { pit, where: where === undefined ? undefined : stringifyJson(where) };
  const parts = [ledger.engine.reads.countTransactions(query)];
  for (let last = parts[0]; last?.after !== undefined; last = parts.at(-1)) {
    parts.push(ledger.engine.reads.countTransactions(query, last.after));
  }
  return parts.map(({ count }) => count);
}

export const countOf = (ledger: TestLedger, query: CountWanted = {}): number =>
  countParts(ledger, query).reduce((sum, count) => sum + count, 0);
