import { queryOptions } from "@tanstack/react-query";
import { florin } from "#console/api/florin.ts";
import { pages } from "#console/parts/table/pages.ts";
import {
  type AccountAtProvider,
  pageParameters,
  PAYMENTS_KEY,
} from "#console/places/payments/common/queries.ts";
import type { components } from "#openapi";

export type Balance = components["schemas"]["PaymentAccountBalance"];

/** The accounts that fit a filter, newest first. */
export const accountsQuery = (filter: string | undefined) =>
  pages<AccountAtProvider>([...PAYMENTS_KEY, "accounts", filter], (cursor, signal) =>
    florin.get("/api/payments/v3/accounts", { query: pageParameters(cursor, filter) }, { signal }),
  );

const keyOf = (id: string) => [...PAYMENTS_KEY, "account", id] as const;

export const accountQuery = (id: string) =>
  queryOptions({
    queryKey: keyOf(id),
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/payments/v3/accounts/{accountID}",
          { path: { accountID: id } },
          { signal },
        )
      ).data,
  });

/** Most balances of a read: the last ones of all assets, and the points of a chart. */
const LAST_MAX = 100;
const POINTS_MAX = 500;

/** The last balances of an account, one for each of its assets. */
export const balancesQuery = (id: string) =>
  queryOptions({
    queryKey: [...keyOf(id), "balances"],
    queryFn: async ({ signal }) => {
      const answer = await florin.get(
        "/api/payments/v3/accounts/{accountID}/balances",
        { path: { accountID: id }, query: { pageSize: LAST_MAX } },
        { signal },
      );
      return lastOfEach(answer.cursor.data);
    },
  });

/** The first balance of each asset in a list, newest first. */
function lastOfEach(balances: readonly Balance[]): Balance[] {
  const seen = new Set<string>();
  return balances.filter(({ asset }) => {
    const isNew = !seen.has(asset);
    seen.add(asset);
    return isNew;
  });
}

export interface PastBalances {
  readonly asset: string;
  /** The time of the earliest balance, as RFC 3339; undefined for all of them. */
  readonly from: string | undefined;
}

/** The balances of an account in an asset, oldest first. */
export const balanceHistoryQuery = (id: string, { asset, from }: PastBalances) =>
  queryOptions({
    queryKey: [...keyOf(id), "history", asset, from],
    queryFn: async ({ signal }) => {
      const answer = await florin.get(
        "/api/payments/v3/accounts/{accountID}/balances",
        { path: { accountID: id }, query: { asset, from, pageSize: POINTS_MAX } },
        { signal },
      );
      return answer.cursor.data.toReversed();
    },
  });
