import { z } from "@hono/zod-openapi";
import { RequiredText } from "./fields.ts";
import { AccountIdInput } from "./path-ids.ts";
import { given } from "#modules/payments/core/given.ts";
import type { NewPool } from "#modules/payments/pools/create.ts";
import { POOL_ACCOUNTS_MAX } from "#modules/payments/pools/pool.ts";
import { AppError } from "#platform/errors.ts";
import { parseFilter } from "#platform/filter/filter.ts";
import { stringifyJson } from "#platform/json.ts";

/** A filter of accounts. Only its form is checked here. */
const FilterInput = z
  .custom<object>(
    (value) => typeof value === "object" && value !== null && !Array.isArray(value),
    "expected a filter",
  )
  .openapi({
    type: "object",
    description: "A filter of accounts, as lists of accounts take it.",
    example: { $match: { default_asset: "EUR/2" } },
  });

/** The fields of a new pool, in both versions of the API. */
export const PoolFields = z.object({
  name: RequiredText,
  query: FilterInput.nullish().openapi({
    description: "The filter of the accounts of a dynamic pool. Without one, the pool is static.",
  }),
  accountIDs: z.array(AccountIdInput).max(POOL_ACCOUNTS_MAX).nullish().openapi({
    description: "The accounts of a static pool.",
  }),
});

/** The pool of a request. Throws `VALIDATION` for a request with neither a query nor accounts. */
export function toNewPool({ name, query, accountIDs }: z.output<typeof PoolFields>): NewPool {
  if ((query ?? accountIDs ?? undefined) === undefined) {
    throw new AppError("VALIDATION", "query is a required field, or accountIDs");
  }
  const isDynamic = Object.keys(query ?? {}).length > 0;
  return {
    name,
    accounts: isDynamic ? [] : (accountIDs ?? []),
    ...given({ query: isDynamic ? toQueryText(query) : undefined }),
  };
}

export const PoolQueryRequest = z
  .object({
    query: FilterInput.refine((query) => Object.keys(query).length > 0, "is a required field"),
  })
  .openapi("PoolQueryRequest", { example: { query: { $match: { default_asset: "EUR/2" } } } });

/** The JSON of a filter. Throws `VALIDATION` for a bad filter. */
export function toQueryText(query: unknown): string {
  parseFilter(query);
  return stringifyJson(query);
}
