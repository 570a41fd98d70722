import { queryOptions } from "@tanstack/react-query";
import { florin } from "#console/api/florin.ts";
import { pages } from "#console/parts/table/pages.ts";
import { pageParameters, PAYMENTS_KEY } from "#console/places/payments/common/queries.ts";
import type { components } from "#openapi";

type Schemas = components["schemas"];
export type BankAccount = Schemas["BankAccount"];

/** The bank accounts that fit a filter, newest first. */
export const bankAccountsQuery = (filter: string | undefined) =>
  pages<BankAccount>([...PAYMENTS_KEY, "bank-accounts", filter], (cursor, signal) =>
    florin.get(
      "/api/payments/v3/bank-accounts",
      { query: pageParameters(cursor, filter) },
      { signal },
    ),
  );

export const bankAccountQuery = (id: string) =>
  queryOptions({
    queryKey: [...PAYMENTS_KEY, "bank-account", id],
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/payments/v3/bank-accounts/{bankAccountID}",
          { path: { bankAccountID: id } },
          { signal },
        )
      ).data,
  });
