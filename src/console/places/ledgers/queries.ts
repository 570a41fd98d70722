import { queryOptions } from "@tanstack/react-query";
import { florin } from "#console/api/florin.ts";
import { PAGE_SIZE, pages } from "#console/parts/table/pages.ts";
import type { components } from "#openapi";

export type Ledger = components["schemas"]["Ledger"];
export type Transaction = components["schemas"]["Transaction"];
export type Account = components["schemas"]["Account"];

export const ledgersQuery = () =>
  pages<Ledger>(["ledgers"], (cursor, signal) =>
    florin.get(
      "/api/ledger/v2",
      { query: cursor === undefined ? { pageSize: PAGE_SIZE } : { cursor } },
      { signal },
    ),
  );

export const statsQuery = (ledger: string) =>
  queryOptions({
    queryKey: ["ledgers", ledger, "stats"],
    queryFn: async ({ signal }) =>
      (await florin.get("/api/ledger/v2/{ledger}/stats", { path: { ledger } }, { signal })).data,
  });

/** The transactions of a ledger that fit a filter, newest first. */
export const transactionsQuery = (ledger: string, filter: string | undefined) =>
  pages<Transaction>(["ledgers", ledger, "transactions", filter], (cursor, signal) =>
    florin.get(
      "/api/ledger/v2/{ledger}/transactions",
      {
        path: { ledger },
        query: cursor === undefined ? { pageSize: PAGE_SIZE, query: filter } : { cursor },
      },
      { signal },
    ),
  );

export const transactionQuery = (ledger: string, id: string) =>
  queryOptions({
    queryKey: ["ledgers", ledger, "transaction", id],
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/ledger/v2/{ledger}/transactions/{id}",
          { path: { ledger, id }, query: { expand: ["volumes"] } },
          { signal },
        )
      ).data,
  });

/** The accounts of a ledger that fit a filter, with their volumes. */
export const accountsQuery = (ledger: string, filter: string | undefined) =>
  pages<Account>(["ledgers", ledger, "accounts", filter], (cursor, signal) =>
    florin.get(
      "/api/ledger/v2/{ledger}/accounts",
      {
        path: { ledger },
        query:
          cursor === undefined
            ? { pageSize: PAGE_SIZE, query: filter, expand: ["volumes"] }
            : { cursor },
      },
      { signal },
    ),
  );

export const accountQuery = (ledger: string, address: string) =>
  queryOptions({
    queryKey: ["ledgers", ledger, "account", address],
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/ledger/v2/{ledger}/accounts/{address}",
          { path: { ledger, address }, query: { expand: ["volumes"] } },
          { signal },
        )
      ).data,
  });

export interface HistoryOptions {
  readonly account: string;
  readonly asset: string;
  readonly interval: string;
  /** The start of the first interval, as RFC 3339. */
  readonly startTime: string;
  readonly insertionDate: boolean;
}

export const historyQuery = (ledger: string, options: HistoryOptions) =>
  queryOptions({
    queryKey: ["ledgers", ledger, "history", options],
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/florin/v1/ledgers/{ledger}/balances/history",
          { path: { ledger }, query: { ...options } },
          { signal },
        )
      ).data,
  });
