import { queryOptions } from "@tanstack/react-query";
import { florin } from "#console/api/florin.ts";
import { pages } from "#console/parts/table/pages.ts";
import { pageParameters, PAYMENTS_KEY } from "#console/places/payments/common/queries.ts";
import type { components } from "#openapi";

type Schemas = components["schemas"];
export type Pool = Schemas["Pool"];
export type NewPoolRequest = Schemas["PoolRequest"];

/** The pools that fit a filter, newest first. */
export const poolsQuery = (filter: string | undefined) =>
  pages<Pool>([...PAYMENTS_KEY, "pools", filter], (cursor, signal) =>
    florin.get("/api/payments/v3/pools", { query: pageParameters(cursor, filter) }, { signal }),
  );

const keyOf = (id: string) => [...PAYMENTS_KEY, "pool", id] as const;

export const poolQuery = (id: string) =>
  queryOptions({
    queryKey: keyOf(id),
    queryFn: async ({ signal }) =>
      (await florin.get("/api/payments/v3/pools/{poolID}", { path: { poolID: id } }, { signal }))
        .data,
  });

/** What the accounts of a pool hold together, as their providers told it last. */
export const latestPoolBalancesQuery = (id: string) =>
  queryOptions({
    queryKey: [...keyOf(id), "balances"],
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/payments/v3/pools/{poolID}/balances/latest",
          { path: { poolID: id } },
          { signal },
        )
      ).data,
  });

/** What the accounts of a pool held at a moment, together. */
export const poolBalancesQuery = (id: string, at: string) =>
  queryOptions({
    queryKey: [...keyOf(id), "balances", at],
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/payments/v3/pools/{poolID}/balances",
          { path: { poolID: id }, query: { at } },
          { signal },
        )
      ).data,
  });
