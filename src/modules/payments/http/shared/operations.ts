import { z } from "@hono/zod-openapi";
import { inBoth, objectPath } from "./generations.ts";
import { addBankAccountMetadata } from "#modules/payments/bank-accounts/add-metadata.ts";
import { MetadataRequest } from "#modules/payments/http/fields.ts";
import { paymentIdParam, uuidParam } from "#modules/payments/http/path-ids.ts";
import { PaymentMetadataRequest } from "#modules/payments/http/payment-requests.ts";
import { PoolQueryRequest, toQueryText } from "#modules/payments/http/pool-requests.ts";
import { MetadataTarget } from "#modules/payments/http/v1/payment-schemas.ts";
import { POOL_BALANCES } from "#modules/payments/http/v3/pool-schemas.ts";
import { addPaymentMetadata } from "#modules/payments/payments/add-metadata.ts";
import { poolBalances } from "#modules/payments/pools/balances.ts";
import { setPoolQuery } from "#modules/payments/pools/change.ts";
import { deletePool } from "#modules/payments/pools/delete.ts";
import { ok, registration } from "#platform/http/index.ts";

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

export const registerPoolOperations = registration(
  inBoth(POOLS, "delete", {
    path: "",
    operationIds: ["v3DeletePool", "deletePool"],
    summary: "Delete a pool",
    description: "Its bookings end. A pool that does not exist is no error.",
    answer: ok.empty("Deleted"),
    handle: ({ id, context }) => deletePool(context, id),
  }),
  inBoth(POOLS, "patch", {
    path: "/query",
    operationIds: ["v3UpdatePoolQuery", "updatePoolQuery"],
    summary: "Replace the query of a dynamic pool",
    body: PoolQueryRequest,
    answer: ok.empty("Replaced"),
    errors: [404],
    handle: ({ id, body, context }) =>
      setPoolQuery(context, { poolId: id, query: toQueryText(body.query) }),
  }),
  inBoth(POOLS, "get", {
    path: "/balances/latest",
    operationIds: ["v3GetPoolBalancesLatest", "getPoolBalancesLatest"],
    summary: "Show the balances of a pool's accounts",
    answer: POOL_BALANCES,
    errors: [404],
    handle: ({ id, context }) => poolBalances(context, { poolId: id }),
  }),
);

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

export const registerMetadata = registration(
  inBoth(BANK_ACCOUNTS, "patch", {
    path: "/metadata",
    operationIds: ["v3UpdateBankAccountMetadata", "updateBankAccountMetadata"],
    summary: "Add metadata to a bank account",
    body: MetadataRequest,
    answer: ok.empty("Added"),
    errors: [404],
    handle: ({ id, body, context }) =>
      addBankAccountMetadata(context, { id, metadata: body.metadata }),
  }),
  inBoth(PAYMENTS, "patch", {
    path: "/metadata",
    operationIds: ["v3UpdatePaymentMetadata", "updateMetadata"],
    summary: "Add metadata to a payment",
    body: PaymentMetadataRequest,
    answer: ok.empty("Added"),
    errors: [404],
    handle: ({ id, body, context }) => addPaymentMetadata(context, { id, metadata: body }),
  }),
);
