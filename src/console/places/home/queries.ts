import { queryOptions } from "@tanstack/react-query";
import { florin } from "#console/api/florin.ts";
import type { components } from "#openapi";
import { stringifyJson } from "#platform/json.ts";

/** Ledgers that the page shows, the newest ones: it asks a handful of requests, whatever there is. */
export const LEDGERS_MAX = 3;
/** Time between two reads of what the page shows, in milliseconds. */
const REFRESH_MS = 15_000;
/** Transactions that the page shows. */
export const LATEST_MAX = 12;
const DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;

export const ledgersQuery = () =>
  queryOptions({
    queryKey: ["ledgers", "home"],
    queryFn: async ({ signal }) => {
      const { cursor } = await florin.get(
        "/api/ledger/v2",
        { query: { pageSize: LEDGERS_MAX, sort: "id:desc" } },
        { signal },
      );
      return cursor.data.map(({ name }) => name);
    },
    refetchInterval: REFRESH_MS,
  });

type Listed = components["schemas"]["Transaction"];

/** A transaction with the name of its ledger. */
export interface Latest extends Listed {
  readonly ledger: string;
}

/** The latest transactions of some ledgers together, newest first. */
export const latestQuery = (ledgers: readonly string[]) =>
  queryOptions({
    queryKey: ["ledgers", "home", "latest", ledgers],
    queryFn: async ({ signal }): Promise<readonly Latest[]> => {
      const all = await Promise.all(
        ledgers.map(async (ledger) => {
          const { cursor } = await florin.get(
            "/api/ledger/v2/{ledger}/transactions",
            { path: { ledger }, query: { pageSize: LATEST_MAX } },
            { signal },
          );
          return cursor.data.map((transaction) => ({ ...transaction, ledger }));
        }),
      );
      return all
        .flat()
        .toSorted((one, other) => (one.insertedAt < other.insertedAt ? 1 : -1))
        .slice(0, LATEST_MAX);
    },
    refetchInterval: REFRESH_MS,
  });

/** The account from which money comes into a ledger. */
const OUTSIDE = "world";

/** The assets that have come into a ledger from outside. */
export const assetsQuery = (ledger: string) =>
  queryOptions({
    queryKey: ["ledgers", "home", "assets", ledger],
    queryFn: async ({ signal }) => {
      const { cursor } = await florin.get(
        "/api/ledger/v2/{ledger}/accounts",
        {
          path: { ledger },
          query: {
            pageSize: 1,
            expand: ["volumes"],
            query: stringifyJson({ $match: { address: OUTSIDE } }),
          },
        },
        { signal },
      );
      return Object.keys(cursor.data[0]?.volumes ?? {});
    },
    staleTime: DAY_MS,
  });

/** What moved on a day: the number of transactions, or an amount of an asset. */
export interface DaySum {
  readonly endTime: string;
  readonly amount: number | bigint;
}

/** What moved in a ledger on each of the last days: transactions, or the money of an asset that came from outside. */
export const daysQuery = (ledger: string, asset: string | undefined) =>
  queryOptions({
    queryKey: ["ledgers", "home", "days", ledger, asset],
    queryFn: async ({ signal }): Promise<readonly DaySum[]> => {
      const time = { interval: "day", startTime: daysAgo(DAYS) };
      if (asset === undefined) {
        const { data } = await florin.get(
          "/api/florin/v1/ledgers/{ledger}/activity",
          { path: { ledger }, query: time },
          { signal },
        );
        return data.intervals.map(({ endTime, transactions }) => ({
          endTime,
          amount: transactions,
        }));
      }
      const { data } = await florin.get(
        "/api/florin/v1/ledgers/{ledger}/balances/history",
        { path: { ledger }, query: { ...time, account: OUTSIDE, asset, insertionDate: true } },
        { signal },
      );
      return data.map(({ endTime, output }) => ({ endTime, amount: output }));
    },
    refetchInterval: 4 * REFRESH_MS,
  });

/** Days for which a failure is news. Older ones are found in their lists. */
export const NEWS_DAYS = 7;

/** A date some days ago as RFC 3339. */
export const daysAgo = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();
