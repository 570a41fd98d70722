import { queryOptions } from "@tanstack/react-query";
import { RECONCILIATION_KEY } from "./common.ts";
import { florin } from "#console/api/florin.ts";
import type { components } from "#openapi";

export type ClearingReport = components["schemas"]["ClearingReport"];

/** What a clearing report is about; `at` is absent for now. */
export interface ClearingAsked {
  readonly ledger: string;
  readonly account: string;
  readonly at?: string | undefined;
  readonly by?: string | undefined;
}

export const clearingQuery = (asked: ClearingAsked) =>
  queryOptions({
    queryKey: [...RECONCILIATION_KEY, "clearing", asked],
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/florin/v1/reconciliation/clearing",
          { query: { ...asked } },
          { signal },
        )
      ).data,
  });
