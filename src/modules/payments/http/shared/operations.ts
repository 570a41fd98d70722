import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { inBoth, objectPath } from "./generations.ts";
import { addBankAccountMetadata } from "#modules/payments/bank-accounts/add-metadata.ts";
import { MetadataRequest } from "#modules/payments/http/fields.ts";
import { paymentIdParam, uuidParam } from "#modules/payments/http/path-ids.ts";
import { PaymentMetadataRequest } from "#modules/payments/http/payment-requests.ts";
import { PoolQueryRequest, toQueryText } from "#modules/payments/http/pool-requests.ts";
import { MetadataTarget } from "#modules/payments/http/v1/payment-schemas.ts";
import { PoolBalancesResponse, toPoolBalanceView } from "#modules/payments/http/v3/pool-schemas.ts";
import { addPaymentMetadata } from "#modules/payments/payments/add-metadata.ts";
import { poolBalances } from "#modules/payments/pools/balances.ts";
import { setPoolQuery } from "#modules/payments/pools/change.ts";
import { deletePool } from "#modules/payments/pools/delete.ts";
import type { AppEnv } from "#platform/http/context.ts";
import { empty, errors, json } from "#platform/http/endpoint.ts";

/** Operations that are the same in both versions of the API, including their bodies and answers. */

const V1 = ["Payments API v1"];

const POOLS = [
  objectPath({
    path: "/v3/pools/{poolID}",
    tags: ["Pools"],
    params: z.object({ poolID: uuidParam("pool") }),
    idOf: ({ poolID }) => poolID,
  }),
  objectPath({
    path: "/pools/{poolId}",
    tags: V1,
    params: z.object({ poolId: uuidParam("pool") }),
    idOf: ({ poolId }) => poolId,
  }),
] as const;

export function registerPoolOperations(app: OpenAPIHono<AppEnv>): void {
  inBoth(
    app,
    {
      at: POOLS,
      method: "delete",
      path: "",
      operationIds: ["v3DeletePool", "deletePool"],
      summary: "Delete a pool",
      description: "Its bookings end. A pool that does not exist is no error.",
      scope: "payments:write",
      responses: { 204: empty("Deleted") },
    },
    async ({ id, c }) => {
      await deletePool(c.var.context, id);
      return { status: 204 };
    },
  );
  inBoth(
    app,
    {
      at: POOLS,
      method: "patch",
      path: "/query",
      operationIds: ["v3UpdatePoolQuery", "updatePoolQuery"],
      summary: "Replace the query of a dynamic pool",
      scope: "payments:write",
      body: PoolQueryRequest,
      responses: { 204: empty("Replaced"), ...errors(404) },
    },
    async ({ id, body, c }) => {
      const query = toQueryText(body.query);
      await setPoolQuery(c.var.context, { poolId: id, query });
      return { status: 204 };
    },
  );
  inBoth(
    app,
    {
      at: POOLS,
      method: "get",
      path: "/balances/latest",
      operationIds: ["v3GetPoolBalancesLatest", "getPoolBalancesLatest"],
      summary: "Show the balances of a pool's accounts",
      scope: "payments:read",
      responses: { 200: json("The balances", PoolBalancesResponse), ...errors(404) },
    },
    async ({ id, c }) => {
      const balances = await poolBalances(c.var.context, { poolId: id });
      return { status: 200, body: { data: balances.map(toPoolBalanceView) } };
    },
  );
}

const BANK_ACCOUNTS = [
  objectPath({
    path: "/v3/bank-accounts/{bankAccountID}",
    tags: ["Bank accounts"],
    params: z.object({ bankAccountID: uuidParam("bank account") }),
    idOf: ({ bankAccountID }) => bankAccountID,
  }),
  objectPath({
    path: "/bank-accounts/{bankAccountId}",
    tags: V1,
    params: z.object({ bankAccountId: uuidParam("bank account") }),
    idOf: ({ bankAccountId }) => bankAccountId,
  }),
] as const;

const PAYMENTS = [
  objectPath({
    path: "/v3/payments/{paymentID}",
    tags: ["Payments"],
    params: z.object({ paymentID: paymentIdParam() }),
    idOf: ({ paymentID }) => paymentID,
  }),
  objectPath({
    path: "/payments/{paymentId}",
    tags: V1,
    params: z.object({ paymentId: MetadataTarget }),
    idOf: ({ paymentId }) => paymentId,
  }),
] as const;

export function registerMetadata(app: OpenAPIHono<AppEnv>): void {
  inBoth(
    app,
    {
      at: BANK_ACCOUNTS,
      method: "patch",
      path: "/metadata",
      operationIds: ["v3UpdateBankAccountMetadata", "updateBankAccountMetadata"],
      summary: "Add metadata to a bank account",
      scope: "payments:write",
      body: MetadataRequest,
      responses: { 204: empty("Added"), ...errors(404) },
    },
    async ({ id, body, c }) => {
      await addBankAccountMetadata(c.var.context, { id, metadata: body.metadata });
      return { status: 204 };
    },
  );
  inBoth(
    app,
    {
      at: PAYMENTS,
      method: "patch",
      path: "/metadata",
      operationIds: ["v3UpdatePaymentMetadata", "updateMetadata"],
      summary: "Add metadata to a payment",
      scope: "payments:write",
      body: PaymentMetadataRequest,
      responses: { 204: empty("Added"), ...errors(404) },
    },
    async ({ id, body, c }) => {
      await addPaymentMetadata(c.var.context, { id, metadata: body });
      return { status: 204 };
    },
  );
}
