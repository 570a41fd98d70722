import { z } from "@hono/zod-openapi";
import type { Policy, Reconciliation } from "#modules/reconciliation/policies/policy.ts";
import { BigInteger, TimestampOutput } from "#platform/http/index.ts";
import { formatTimestamp } from "#platform/time.ts";

const text = (description: string) =>
  z
    .string()
    .nullish()
    .transform((value) => value ?? "")
    .openapi({ type: "string", description });

/** An object of JSON with any members. */
export const AnyObject = z
  .custom<Readonly<Record<string, unknown>>>(
    (value) => typeof value === "object" && value !== null && !Array.isArray(value),
    "expected an object",
  )
  .openapi({ type: "object", additionalProperties: true });

const POLICY_ID = "0c5b0a1e-6f41-4f7d-9a53-5a9a2f4e1b77";
const POOL_ID = "7f0e6f0a-30a3-4c0e-bd8e-6e1c0f0a4b55";

export const PolicyRequest = z
  .object({
    name: text("Any text. Required."),
    ledgerName: text("The ledger. It need not exist yet. Required."),
    ledgerQuery: AnyObject.nullish()
      .transform((query) => query ?? {})
      .openapi({
        type: "object",
        additionalProperties: true,
        description: "A filter of the ledger's accounts; empty for all of them.",
      }),
    paymentsPoolID: text("The pool. It need not exist yet. Required.").openapi({ format: "uuid" }),
  })
  .openapi("PolicyRequest", {
    example: {
      name: "acquirer-pool",
      ledgerName: "main",
      ledgerQuery: { $match: { address: "obligations:" } },
      paymentsPoolID: POOL_ID,
    },
  });

export const PolicyResponse = z
  .object({
    id: z.string().openapi({ format: "uuid", example: POLICY_ID }),
    name: z.string(),
    createdAt: TimestampOutput,
    ledgerName: z.string(),
    ledgerQuery: z.record(z.string(), z.unknown()),
    paymentsPoolID: z.string().openapi({ format: "uuid" }),
  })
  .openapi("Policy");

export const toPolicyView = (policy: Policy): z.output<typeof PolicyResponse> => ({
  id: policy.id,
  name: policy.name,
  createdAt: formatTimestamp(policy.createdAt),
  ledgerName: policy.ledger,
  ledgerQuery: policy.query,
  paymentsPoolID: policy.poolId,
});

const BalancesResponse = z
  .record(z.string(), BigInteger)
  .openapi({ description: "Amounts by asset, in the smallest unit of each asset." });

export const ReconciliationRequest = z
  .object({
    reconciledAtLedger: text(
      "The moment as of which the ledger is read, by effective dates. Required; not in the future.",
    ).openapi({ format: "date-time" }),
    reconciledAtPayments: text(
      "The moment as of which the pool is read. Required; not in the future.",
    ).openapi({ format: "date-time" }),
  })
  .openapi("ReconciliationRequest", {
    example: {
      reconciledAtLedger: "2026-03-03T00:00:00Z",
      reconciledAtPayments: "2026-03-03T00:00:00Z",
    },
  });

export const ReconciliationResponse = z
  .object({
    id: z.string().openapi({ format: "uuid" }),
    policyID: z.string().openapi({ format: "uuid" }),
    createdAt: TimestampOutput,
    reconciledAtLedger: TimestampOutput,
    reconciledAtPayments: TimestampOutput,
    status: z.enum(["OK", "NOT_OK"]),
    paymentsBalances: BalancesResponse,
    ledgerBalances: BalancesResponse,
    driftBalances: BalancesResponse,
    error: z.string().openapi({ description: "The assets that drift; empty for none." }),
  })
  .openapi("Reconciliation");

export const toReconciliationView = (
  reconciliation: Reconciliation,
): z.output<typeof ReconciliationResponse> => ({
  id: reconciliation.id,
  policyID: reconciliation.policyId,
  createdAt: formatTimestamp(reconciliation.createdAt),
  reconciledAtLedger: formatTimestamp(reconciliation.atLedger),
  reconciledAtPayments: formatTimestamp(reconciliation.atPayments),
  status: reconciliation.status,
  paymentsBalances: { ...reconciliation.paymentsBalances },
  ledgerBalances: { ...reconciliation.ledgerBalances },
  driftBalances: { ...reconciliation.driftBalances },
  error: reconciliation.error,
});
