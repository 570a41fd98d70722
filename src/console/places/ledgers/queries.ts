import { queryOptions } from "@tanstack/react-query";
import { momentInUrl } from "./time/moments.ts";
import { florin } from "#console/api/florin.ts";
import { PAGE_SIZE, pages } from "#console/parts/table/pages.ts";
import type { components } from "#openapi";

export type Ledger = components["schemas"]["Ledger"];
export type Transaction = components["schemas"]["Transaction"];
export type Account = components["schemas"]["Account"];

/** The ledgers that fit a filter, oldest first. */
export const ledgersQuery = (filter?: string) =>
  pages<Ledger>(["ledgers", "list", filter], (cursor, signal) =>
    florin.get(
      "/api/ledger/v2",
      { query: cursor === undefined ? { pageSize: PAGE_SIZE, query: filter } : { cursor } },
      { signal },
    ),
  );

export const statsQuery = (ledger: string) =>
  queryOptions({
    queryKey: ["ledgers", ledger, "stats"],
    queryFn: async ({ signal }) =>
      (await florin.get("/api/ledger/v2/{ledger}/stats", { path: { ledger } }, { signal })).data,
  });

/** The transactions of a ledger that fit a filter, newest first: those at a moment, by default that of the URL. */
export const transactionsQuery = (
  ledger: string,
  filter: string | undefined,
  pit: string | undefined = momentInUrl(),
) =>
  pages<Transaction>(["ledgers", ledger, "transactions", filter, pit], (cursor, signal) =>
    florin.get(
      "/api/ledger/v2/{ledger}/transactions",
      {
        path: { ledger },
        query: cursor === undefined ? { pageSize: PAGE_SIZE, query: filter, pit } : { cursor },
      },
      { signal },
    ),
  );

/** The beginning of the keys of a transaction's queries, at any moment. */
export const transactionKey = (ledger: string, id: string) =>
  ["ledgers", ledger, "transaction", id] as const;

/** A transaction at a moment, by default that of the URL. */
export const transactionQuery = (
  ledger: string,
  id: string,
  pit: string | undefined = momentInUrl(),
) =>
  queryOptions({
    queryKey: [...transactionKey(ledger, id), pit],
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/ledger/v2/{ledger}/transactions/{id}",
          { path: { ledger, id }, query: { expand: ["volumes"], pit } },
          { signal },
        )
      ).data,
  });

/** The volumes that an account shows: at a moment, those of transactions with an effective date until then. */
const volumesAt = (pit: string | undefined) => [pit === undefined ? "volumes" : "effectiveVolumes"];

const shown = (account: Account): Account =>
  account.effectiveVolumes === undefined
    ? account
    : { ...account, volumes: account.effectiveVolumes };

/** The accounts of a ledger that fit a filter, with their volumes. */
export const accountsQuery = (
  ledger: string,
  filter: string | undefined,
  pit: string | undefined,
) =>
  pages<Account>(["ledgers", ledger, "accounts", filter, pit], async (cursor, signal) => {
    const { cursor: page } = await florin.get(
      "/api/ledger/v2/{ledger}/accounts",
      {
        path: { ledger },
        query:
          cursor === undefined
            ? { pageSize: PAGE_SIZE, query: filter, expand: volumesAt(pit), pit }
            : { cursor },
      },
      { signal },
    );
    return { cursor: { ...page, data: page.data.map(shown) } };
  });

export const accountQuery = (ledger: string, address: string, pit?: string) =>
  queryOptions({
    queryKey: ["ledgers", ledger, "account", address, pit],
    queryFn: async ({ signal }) =>
      shown(
        (
          await florin.get(
            "/api/ledger/v2/{ledger}/accounts/{address}",
            { path: { ledger, address }, query: { expand: volumesAt(pit), pit } },
            { signal },
          )
        ).data,
      ),
  });

export interface HistoryOptions {
  readonly account: string;
  readonly asset: string;
  readonly interval: string;
  /** The start of the first interval, as RFC 3339. */
  readonly startTime: string;
  /** The end of the last interval; by default it is now. */
  readonly endTime?: string | undefined;
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

export interface ActivityOptions {
  readonly interval: string;
  readonly startTime: string;
  /** The end of the last interval; by default it is now. */
  readonly endTime?: string | undefined;
}

/** How much was written to a ledger in each interval, and when its first and last entries were. */
export const activityQuery = (ledger: string, options: ActivityOptions) =>
  queryOptions({
    queryKey: ["ledgers", ledger, "activity", options],
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/florin/v1/ledgers/{ledger}/activity",
          { path: { ledger }, query: { ...options } },
          { signal },
        )
      ).data,
  });

export const ledgerQuery = (ledger: string) =>
  queryOptions({
    queryKey: ["ledgers", ledger, "ledger"],
    queryFn: async ({ signal }) =>
      (await florin.get("/api/ledger/v2/{ledger}", { path: { ledger } }, { signal })).data,
  });

/** When the first and the last entry of a ledger were written. */
export const spanQuery = (ledger: string) =>
  queryOptions({
    queryKey: ["ledgers", ledger, "span"],
    queryFn: async ({ signal }) => {
      const query = { interval: "day", startTime: new Date().toISOString() };
      const { data } = await florin.get(
        "/api/florin/v1/ledgers/{ledger}/activity",
        { path: { ledger }, query },
        { signal },
      );
      return { firstEntryAt: data.firstEntryAt, lastEntryAt: data.lastEntryAt };
    },
  });

/** The effective date of the earliest transaction of a ledger; null without one. */
export const firstMomentQuery = (ledger: string) =>
  queryOptions({
    queryKey: ["ledgers", ledger, "first-moment"],
    queryFn: async ({ signal }) => {
      const { cursor } = await florin.get(
        "/api/ledger/v2/{ledger}/transactions",
        { path: { ledger }, query: { pageSize: 1, sort: "timestamp:asc" } },
        { signal },
      );
      return cursor.data[0]?.timestamp ?? null;
    },
  });
