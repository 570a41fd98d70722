import { sql } from "drizzle-orm";
import { type Reconciliation, toReconciliation } from "./policy.ts";
import { getPolicy } from "./store.ts";
import { reconciliationPolicies, reconciliations } from "./tables.ts";
import { balancesOfPool, ledgerBalances } from "#modules/reconciliation/balances/read.ts";
import { toBalancesColumn } from "#modules/reconciliation/core/balances.ts";
import { driftError, driftOf } from "#modules/reconciliation/core/drift.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { columnValues } from "#platform/db/json-rows.ts";
import { AppError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import type { Timestamp } from "#platform/time.ts";

export interface ReconciliationRequest {
  readonly policyId: string;
  /** The moments as of which the ledger and the pool are read, exactly. */
  readonly atLedger: Timestamp;
  readonly atPayments: Timestamp;
}

/**
 * Runs a policy: reads both sides, compares them and stores the comparison. Each call stores a reconciliation of its own. Throws
 * `NOT_FOUND` for an unknown policy or pool, `LEDGER_NOT_FOUND`, `UNAUTHENTICATED`, and `VALIDATION` where an account of the pool has no
 * balance at or before the moment; then nothing is stored.
 */
export async function reconcile(
  context: ServiceContext,
  { policyId, atLedger, atPayments }: ReconciliationRequest,
): Promise<Reconciliation> {
  const policy = await getPolicy(context, policyId);
  const [ledger, payments] = await Promise.all([
    ledgerBalances(context, policy, atLedger),
    balancesOfPool(context, policy.poolId, atPayments),
  ]);
  const drift = driftOf(ledger, payments);
  const id = newId();
  const values = columnValues(reconciliations, {
    key: null,
    id,
    policyKey: policy.key,
    policyId: policy.id,
    createdAt: context.clock(),
    atLedger,
    atPayments,
    status: drift.failing.length === 0 ? "OK" : "NOT_OK",
    ledgerBalances: toBalancesColumn(drift.ledger),
    paymentsBalances: toBalancesColumn(drift.payments),
    driftBalances: toBalancesColumn(drift.drift),
    error: driftError(drift),
  });
  const change = new AuditedChange(context, {
    action: "reconciliation.policy.reconcile",
    object: `reconciliations/${id}`,
  });
  // A policy that was deleted while it was run gets no reconciliation.
  const isThere = sql`key = ${policy.key} AND deleted_at IS NULL`;
  const [row] = await change.store(
    databaseOf(context.env)
      .insert(reconciliations)
      .select(sql`SELECT ${values} FROM ${reconciliationPolicies} WHERE ${isThere}`)
      .returning(),
  );
  if (row === undefined) throw new AppError("NOT_FOUND", `there is no policy ${policyId}`);
  return toReconciliation(row);
}
