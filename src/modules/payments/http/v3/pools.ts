import { z } from "@hono/zod-openapi";
import { POOL_BALANCES, PoolResponse, toPoolView } from "./pool-schemas.ts";
import { LIST, listing } from "#modules/payments/http/lists.ts";
import { ownedIdParam, uuidParam } from "#modules/payments/http/path-ids.ts";
import { PoolFields, toNewPool } from "#modules/payments/http/pool-requests.ts";
import { poolBalances } from "#modules/payments/pools/balances.ts";
import { addPoolAccount, removePoolAccount } from "#modules/payments/pools/change.ts";
import { createPool } from "#modules/payments/pools/create.ts";
import { listPools } from "#modules/payments/pools/list.ts";
import { getPool } from "#modules/payments/pools/store.ts";
import { AppError } from "#platform/errors.ts";
import { ok, operations, registration } from "#platform/http/index.ts";
import { type Clock, parseTimestamp, type Timestamp } from "#platform/time.ts";

const pools = operations({ path: "/v3/pools", tags: ["Pools"], scope: "payments" });
const Params = z.object({ poolID: uuidParam("pool") });
const MemberParams = Params.extend({ accountID: ownedIdParam("account") });

/** The time in the parameter `at`. Throws `VALIDATION` for a missing, malformed or future time. */
function toMoment(text: string | undefined, clock: Clock): Timestamp {
  if (text === undefined) throw new AppError("VALIDATION", "query param 'at' is missing");
  const at = parseTimestamp(text);
  if (at === undefined) {
    throw new AppError("VALIDATION", "invalid atTime: expected an RFC 3339 timestamp with a zone");
  }
  if (at > clock()) throw new AppError("VALIDATION", "query param 'at' cannot be in the future");
  return at;
}

export const registerPools = registration(
  pools.post("", {
    operationId: "v3CreatePool",
    summary: "Create a pool",
    body: PoolFields.openapi("PoolRequest", {
      example: { name: "treasury", query: { $match: { default_asset: "EUR/2" } } },
    }),
    answer: ok.created("Its id", z.string(), ({ id }: { readonly id: string }) => id),
    errors: [404],
    handle: ({ body, context }) => createPool(context, toNewPool(body)),
  }),
  pools.get("", {
    operationId: "v3ListPools",
    summary: "List pools",
    description:
      "Filters: `id`, `name`, and `account_id`, which finds the static pools of an account.",
    ...LIST,
    answer: ok.page("A page of pools", PoolResponse, toPoolView),
    handle: listing("pools", listPools),
  }),
  pools.get("/{poolID}", {
    operationId: "v3GetPool",
    summary: "Read a pool",
    params: Params,
    answer: ok.data("The pool", PoolResponse, toPoolView),
    errors: [404],
    handle: ({ params, context }) => getPool(context, params.poolID),
  }),
  pools.post("/{poolID}/accounts/{accountID}", {
    operationId: "v3AddAccountToPool",
    summary: "Add an account to a static pool",
    params: MemberParams,
    answer: ok.empty("Added"),
    errors: [404],
    handle: ({ params, context }) =>
      addPoolAccount(context, { poolId: params.poolID, account: params.accountID }),
  }),
  pools.delete("/{poolID}/accounts/{accountID}", {
    operationId: "v3RemoveAccountFromPool",
    summary: "Remove an account from a static pool",
    params: MemberParams,
    answer: ok.empty("Removed"),
    errors: [404],
    handle: ({ params, context }) =>
      removePoolAccount(context, { poolId: params.poolID, account: params.accountID }),
  }),
  pools.get("/{poolID}/balances", {
    operationId: "v3GetPoolBalances",
    summary: "Show the balances of a pool's accounts at a past time",
    description: "Balances whose last report is before this time are left out.",
    params: Params,
    query: z.object({
      at: z.string().optional().openapi({ format: "date-time", description: "Required." }),
    }),
    answer: POOL_BALANCES,
    errors: [404],
    handle: ({ params, query, context }) => {
      const at = toMoment(query.at, context.clock);
      return poolBalances(context, { poolId: params.poolID, at });
    },
  }),
);
