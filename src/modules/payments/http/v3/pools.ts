import { type OpenAPIHono, z } from "@hono/zod-openapi";
import {
  PoolBalancesResponse,
  PoolResponse,
  toPoolBalanceView,
  toPoolView,
} from "./pool-schemas.ts";
import { LIST, listing } from "#modules/payments/http/lists.ts";
import { ownedIdParam, uuidParam } from "#modules/payments/http/path-ids.ts";
import { PoolFields, toNewPool } from "#modules/payments/http/pool-requests.ts";
import { poolBalances } from "#modules/payments/pools/balances.ts";
import { addPoolAccount, removePoolAccount } from "#modules/payments/pools/change.ts";
import { createPool } from "#modules/payments/pools/create.ts";
import { listPools } from "#modules/payments/pools/list.ts";
import { getPool } from "#modules/payments/pools/store.ts";
import { AppError } from "#platform/errors.ts";
import type { AppEnv } from "#platform/http/context.ts";
import { empty, endpoint, errors, json } from "#platform/http/endpoint.ts";
import { cursorOf, dataOf } from "#platform/http/schemas.ts";
import { type Clock, parseTimestamp, type Timestamp } from "#platform/time.ts";

const TAGS = ["Pools"];
const Params = z.object({ poolID: uuidParam("pool") });
const MemberParams = Params.extend({ accountID: ownedIdParam("account") });

export function registerPools(app: OpenAPIHono<AppEnv>): void {
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
      path: "/v3/pools",
      operationId: "v3CreatePool",
      summary: "Create a pool",
      tags: TAGS,
      scope: "payments:write",
      body: PoolFields.openapi("PoolRequest", {
        example: { name: "treasury", query: { $match: { default_asset: "EUR/2" } } },
      }),
      responses: { 201: json("Its id", dataOf(z.string())), ...errors(404) },
    },
    async ({ body, c }) => {
      const { id } = await createPool(c.var.context, toNewPool(body));
      return { status: 201, body: { data: id } };
    },
  );
  endpoint(
    app,
    {
      ...LIST,
      path: "/v3/pools",
      operationId: "v3ListPools",
      summary: "List pools",
      description:
        "Filters: `id`, `name`, and `account_id`, which finds the static pools of an account.",
      tags: TAGS,
      responses: { 200: json("A page of pools", cursorOf(PoolResponse)) },
    },
    listing("pools", listPools, toPoolView),
  );
}

function registerOne(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/v3/pools/{poolID}",
      operationId: "v3GetPool",
      summary: "Read a pool",
      tags: TAGS,
      scope: "payments:read",
      params: Params,
      responses: { 200: json("The pool", dataOf(PoolResponse)), ...errors(404) },
    },
    async ({ params, c }) => {
      const pool = await getPool(c.var.context, params.poolID);
      return { status: 200, body: { data: toPoolView(pool) } };
    },
  );
}

function registerMembers(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/v3/pools/{poolID}/accounts/{accountID}",
      operationId: "v3AddAccountToPool",
      summary: "Add an account to a static pool",
      tags: TAGS,
      scope: "payments:write",
      params: MemberParams,
      responses: { 204: empty("Added"), ...errors(404) },
    },
    async ({ params, c }) => {
      await addPoolAccount(c.var.context, { poolId: params.poolID, account: params.accountID });
      return { status: 204 };
    },
  );
  endpoint(
    app,
    {
      method: "delete",
      path: "/v3/pools/{poolID}/accounts/{accountID}",
      operationId: "v3RemoveAccountFromPool",
      summary: "Remove an account from a static pool",
      tags: TAGS,
      scope: "payments:write",
      params: MemberParams,
      responses: { 204: empty("Removed"), ...errors(404) },
    },
    async ({ params, c }) => {
      await removePoolAccount(c.var.context, { poolId: params.poolID, account: params.accountID });
      return { status: 204 };
    },
  );
}

function registerBalances(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/v3/pools/{poolID}/balances",
      operationId: "v3GetPoolBalances",
      summary: "Show the balances of a pool's accounts at a past time",
      description: "Balances whose last report is before this time are left out.",
      tags: TAGS,
      scope: "payments:read",
      params: Params,
      query: z.object({
        at: z.string().optional().openapi({ format: "date-time", description: "Required." }),
      }),
      responses: { 200: json("The balances", PoolBalancesResponse), ...errors(404) },
    },
    async ({ params, query, c }) => {
      const at = toMoment(query.at, c.var.context.clock);
      const balances = await poolBalances(c.var.context, { poolId: params.poolID, at });
      return { status: 200, body: { data: balances.map(toPoolBalanceView) } };
    },
  );
}

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
