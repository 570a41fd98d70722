import { z } from "@hono/zod-openapi";
import { actingOf } from "./acting.ts";
import { LIST, listing } from "./lists.ts";
import { toUuid, uuidParam } from "./path-ids.ts";
import {
  PolicyRequest,
  PolicyResponse,
  ReconciliationRequest,
  ReconciliationResponse,
  toPolicyView,
  toReconciliationView,
} from "./policy-schemas.ts";
import { createPolicy } from "#modules/reconciliation/policies/create.ts";
import { deletePolicy } from "#modules/reconciliation/policies/delete.ts";
import { listPolicies } from "#modules/reconciliation/policies/list.ts";
import { reconcile } from "#modules/reconciliation/policies/reconcile.ts";
import {
  getReconciliation,
  listReconciliations,
} from "#modules/reconciliation/policies/reconciliations.ts";
import { getPolicy } from "#modules/reconciliation/policies/store.ts";
import { AppError } from "#platform/errors.ts";
import { ok, operations, registration } from "#platform/http/index.ts";
import { parseTimestamp, type Timestamp } from "#platform/time.ts";

const policies = operations({ path: "/policies", tags: ["Policies"], scope: "reconciliation" });
const runs = operations({ path: "/reconciliations", tags: ["Policies"], scope: "reconciliation" });
const Params = z.object({ policyID: uuidParam() });

/** A past moment of a request. Throws `VALIDATION`, naming the field. */
function toPast(text: string, field: string, now: Timestamp): Timestamp {
  if (text === "") throw new AppError("VALIDATION", `missing ${field}`);
  const at = parseTimestamp(text);
  if (at === undefined) {
    throw new AppError(
      "MISSING_OR_INVALID_BODY",
      `${field}: expected an RFC 3339 timestamp with a zone, such as 2026-03-01T09:30:00Z`,
    );
  }
  if (at > now) throw new AppError("VALIDATION", `${field} must be in the past`);
  return at;
}

export const registerPolicies = registration(
  policies.post("", {
    operationId: "createPolicy",
    summary: "Create a policy",
    description:
      "Whoever creates, runs or reads a policy may read its ledger and payments. A client that acts for itself needs no token of these scopes, if it may ask for one.",
    body: PolicyRequest,
    bodyFailure: "MISSING_OR_INVALID_BODY",
    answer: ok.created("The policy", PolicyResponse, toPolicyView),
    handle: async ({ body: { name, ledgerName, ledgerQuery, paymentsPoolID }, context, c }) => {
      const poolId = toUuid(paymentsPoolID);
      const input = { name, ledger: ledgerName, query: ledgerQuery, poolId };
      return createPolicy(await actingOf(c, context), input);
    },
  }),
  policies.get("", {
    operationId: "listPolicies",
    summary: "List policies",
    description:
      "Filters: `id`, `name`, `ledgerName`, `paymentsPoolID`, `createdAt`, and `ledgerQuery`, which finds the same JSON value.",
    ...LIST,
    answer: ok.page("A page of policies, the newest first", PolicyResponse, toPolicyView),
    handle: listing("policies", listPolicies),
  }),
  policies.get("/{policyID}", {
    operationId: "getPolicy",
    summary: "Read a policy",
    params: Params,
    answer: ok.data("The policy", PolicyResponse, toPolicyView),
    errors: [404],
    handle: async ({ params, context, c }) =>
      getPolicy(await actingOf(c, context), params.policyID),
  }),
  policies.delete("/{policyID}", {
    operationId: "deletePolicy",
    summary: "Delete a policy with its reconciliations",
    description: "A policy that does not exist is no error.",
    params: Params,
    answer: ok.empty("Deleted"),
    handle: async ({ params, context, c }) =>
      deletePolicy(await actingOf(c, context), params.policyID),
  }),
  policies.post("/{policyID}/reconciliation", {
    operationId: "reconcile",
    summary: "Run a policy",
    description:
      "Reads the ledger and the pool, each as of its moment, and stores the comparison. An asset is fine if both sides add up to zero, because the ledger owes what the pool holds. Each call stores a reconciliation of its own.",
    params: z.object({ policyID: z.string().openapi({ format: "uuid" }) }),
    body: ReconciliationRequest,
    bodyFailure: "MISSING_OR_INVALID_BODY",
    answer: ok.data("The reconciliation", ReconciliationResponse, toReconciliationView),
    errors: [404],
    handle: async ({ params, body, context, c }) => {
      const now = context.clock();
      const atLedger = toPast(body.reconciledAtLedger, "reconciledAtLedger", now);
      const atPayments = toPast(body.reconciledAtPayments, "reconciledAtPayments", now);
      const policyId = toUuid(params.policyID);
      return reconcile(await actingOf(c, context), { policyId, atLedger, atPayments });
    },
  }),
  runs.get("", {
    operationId: "listReconciliations",
    summary: "List reconciliations",
    description:
      "Filters: `id`, `policyID`, `status`, `createdAt`, `reconciledAtLedger` and `reconciledAtPayments`.",
    ...LIST,
    answer: ok.page(
      "A page of reconciliations, the newest first",
      ReconciliationResponse,
      toReconciliationView,
    ),
    handle: listing("reconciliations", listReconciliations),
  }),
  runs.get("/{reconciliationID}", {
    operationId: "getReconciliation",
    summary: "Read a reconciliation",
    params: z.object({ reconciliationID: uuidParam() }),
    answer: ok.data("The reconciliation", ReconciliationResponse, toReconciliationView),
    errors: [404],
    handle: async ({ params, context, c }) =>
      getReconciliation(await actingOf(c, context), params.reconciliationID),
  }),
);
