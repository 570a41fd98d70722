import { z } from "@hono/zod-openapi";
import { POOL_TYPES } from "#modules/payments/core/enums.ts";
import { encodeOwnedId } from "#modules/payments/core/ids.ts";
import { OptionalText } from "#modules/payments/http/fields.ts";
import { LIST, listing } from "#modules/payments/http/lists.ts";
import { ownedIdParam, toOwnedId, uuidParam } from "#modules/payments/http/path-ids.ts";
import { PoolFields, toNewPool } from "#modules/payments/http/pool-requests.ts";
import { toQueryView } from "#modules/payments/http/v3/pool-schemas.ts";
import { poolBalances } from "#modules/payments/pools/balances.ts";
import { addPoolAccount, removePoolAccount } from "#modules/payments/pools/change.ts";
import { createPool } from "#modules/payments/pools/create.ts";
import { listPools } from "#modules/payments/pools/list.ts";
import type { Pool } from "#modules/payments/pools/pool.ts";
import { getPool } from "#modules/payments/pools/store.ts";
import { AppError } from "#platform/errors.ts";
import { BigInteger, dataOf, ok, operations, registration } from "#platform/http/index.ts";
import { parseTimestamp } from "#platform/time.ts";

const pools = operations({ path: "/pools", tags: ["Payments API v1"], scope: "payments" });
const Params = z.object({ poolId: uuidParam("pool") });

const PoolV1Response = z
  .object({
    id: z.string(),
    name: z.string(),
    type: z.enum(POOL_TYPES),
    query: z.record(z.string(), z.unknown()).optional(),
    accounts: z.array(z.string()),
  })
  .openapi("PoolV1");

const PoolBalancesV1Response = dataOf(
  z.object({ balances: z.array(z.object({ amount: BigInteger, asset: z.string() })) }),
);

const toPoolV1View = (pool: Omit<Pool, "key">) => ({
  id: pool.id,
  name: pool.name,
  type: pool.type,
  ...toQueryView(pool),
  accounts: pool.accounts.map(encodeOwnedId),
});

const MemberRequest = z
  .object({
    accountID: OptionalText.refine((id) => id !== undefined, "accountID is required").openapi({
      type: "string",
    }),
  })
  .openapi("PoolAccountV1Request");

export const registerPoolsV1 = registration(
  pools.post("", {
    operationId: "createPool",
    summary: "Create a pool",
    body: PoolFields.openapi("PoolV1Request", { example: { name: "empty", accountIDs: [] } }),
    answer: ok.data("The pool", PoolV1Response, toPoolV1View),
    errors: [404],
    handle: ({ body, context }) => createPool(context, toNewPool(body)),
  }),
  pools.get("", {
    operationId: "listPools",
    summary: "List pools",
    ...LIST,
    answer: ok.page("A page of pools", PoolV1Response, toPoolV1View),
    handle: listing("pools", listPools),
  }),
  pools.get("/{poolId}", {
    operationId: "getPool",
    summary: "Read a pool",
    params: Params,
    answer: ok.data("The pool", PoolV1Response, toPoolV1View),
    errors: [404],
    handle: ({ params, context }) => getPool(context, params.poolId),
  }),
  pools.post("/{poolId}/accounts", {
    operationId: "addAccountToPool",
    summary: "Add an account to a static pool",
    params: Params,
    body: MemberRequest,
    answer: ok.empty("Added"),
    errors: [404],
    handle: async ({ params, body, context }) => {
      const account = toOwnedId("account", body.accountID ?? "");
      await addPoolAccount(context, { poolId: params.poolId, account });
    },
  }),
  pools.delete("/{poolId}/accounts/{accountId}", {
    operationId: "removeAccountFromPool",
    summary: "Remove an account from a static pool",
    params: Params.extend({ accountId: ownedIdParam("account") }),
    answer: ok.empty("Removed"),
    errors: [404],
    handle: ({ params, context }) =>
      removePoolAccount(context, { poolId: params.poolId, account: params.accountId }),
  }),
  pools.get("/{poolId}/balances", {
    operationId: "getPoolBalances",
    summary: "Show the balances of a pool's accounts at a past time",
    params: Params,
    query: z.object({
      at: z.string().optional().openapi({ format: "date-time", description: "Required." }),
    }),
    answer: ok.plain("The balances", PoolBalancesV1Response),
    errors: [404],
    handle: async ({ params, query, context }) => {
      if (query.at === undefined) throw new AppError("VALIDATION", "missing atTime");
      const at = parseTimestamp(query.at);
      if (at === undefined) {
        throw new AppError(
          "VALIDATION",
          "invalid atTime: expected an RFC 3339 timestamp with a zone",
        );
      }
      const balances = await poolBalances(context, { poolId: params.poolId, at });
      const shown = balances.map(({ amount, asset }) => ({ amount, asset }));
      return { data: { balances: shown } };
    },
  }),
);
