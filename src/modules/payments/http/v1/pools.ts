import { type OpenAPIHono, z } from "@hono/zod-openapi";
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
import type { AppEnv } from "#platform/http/context.ts";
import { empty, endpoint, errors, json } from "#platform/http/endpoint.ts";
import { BigInteger, cursorOf, dataOf } from "#platform/http/schemas.ts";
import { parseTimestamp } from "#platform/time.ts";

const TAGS = ["Payments API v1"];
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

export function registerPoolsV1(app: OpenAPIHono<AppEnv>): void {
  registerCollection(app);
  registerOne(app);
  registerMembers(app);
  registerBalances(app);
}

function registerCollection(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/pools",
      operationId: "createPool",
      summary: "Create a pool",
      tags: TAGS,
      scope: "payments:write",
      body: PoolFields.openapi("PoolV1Request", { example: { name: "empty", accountIDs: [] } }),
      responses: { 200: json("The pool", dataOf(PoolV1Response)), ...errors(404) },
    },
    async ({ body, c }) => {
      const pool = await createPool(c.var.context, toNewPool(body));
      return { status: 200, body: { data: toPoolV1View(pool) } };
    },
  );
  endpoint(
    app,
    {
      ...LIST,
      path: "/pools",
      operationId: "listPools",
      summary: "List pools",
      tags: TAGS,
      responses: { 200: json("A page of pools", cursorOf(PoolV1Response)) },
    },
    listing("pools", listPools, toPoolV1View),
  );
}

function registerOne(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/pools/{poolId}",
      operationId: "getPool",
      summary: "Read a pool",
      tags: TAGS,
      scope: "payments:read",
      params: Params,
      responses: { 200: json("The pool", dataOf(PoolV1Response)), ...errors(404) },
    },
    async ({ params, c }) => {
      const pool = await getPool(c.var.context, params.poolId);
      return { status: 200, body: { data: toPoolV1View(pool) } };
    },
  );
}

const MemberRequest = z
  .object({
    accountID: OptionalText.refine((id) => id !== undefined, "accountID is required").openapi({
      type: "string",
    }),
  })
  .openapi("PoolAccountV1Request");

function registerMembers(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/pools/{poolId}/accounts",
      operationId: "addAccountToPool",
      summary: "Add an account to a static pool",
      tags: TAGS,
      scope: "payments:write",
      params: Params,
      body: MemberRequest,
      responses: { 204: empty("Added"), ...errors(404) },
    },
    async ({ params, body, c }) => {
      const account = toOwnedId("account", body.accountID ?? "");
      await addPoolAccount(c.var.context, { poolId: params.poolId, account });
      return { status: 204 };
    },
  );
  endpoint(
    app,
    {
      method: "delete",
      path: "/pools/{poolId}/accounts/{accountId}",
      operationId: "removeAccountFromPool",
      summary: "Remove an account from a static pool",
      tags: TAGS,
      scope: "payments:write",
      params: Params.extend({ accountId: ownedIdParam("account") }),
      responses: { 204: empty("Removed"), ...errors(404) },
    },
    async ({ params, c }) => {
      await removePoolAccount(c.var.context, { poolId: params.poolId, account: params.accountId });
      return { status: 204 };
    },
  );
}

function registerBalances(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/pools/{poolId}/balances",
      operationId: "getPoolBalances",
      summary: "Show the balances of a pool's accounts at a past time",
      tags: TAGS,
      scope: "payments:read",
      params: Params,
      query: z.object({
        at: z.string().optional().openapi({ format: "date-time", description: "Required." }),
      }),
      responses: { 200: json("The balances", PoolBalancesV1Response), ...errors(404) },
    },
    async ({ params, query, c }) => {
      if (query.at === undefined) throw new AppError("VALIDATION", "missing atTime");
      const at = parseTimestamp(query.at);
      if (at === undefined) {
        throw new AppError(
          "VALIDATION",
          "invalid atTime: expected an RFC 3339 timestamp with a zone",
        );
      }
      const balances = await poolBalances(c.var.context, { poolId: params.poolId, at });
      const shown = balances.map(({ amount, asset }) => ({ amount, asset }));
      return { status: 200, body: { data: { balances: shown } } };
    },
  );
}
