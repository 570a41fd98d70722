import type { reconciliationPolicies, reconciliations } from "./tables.ts";
import type { LedgerQuery } from "#modules/reconciliation/balances/read.ts";
import { type AssetBalances, fromBalancesColumn } from "#modules/reconciliation/core/balances.ts";
import { parseJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";

/** A pair of an account set in a ledger and a pool of payments, whose balances ought to add up to zero. */
export interface Policy {
  readonly key: number;
  readonly id: string;
  readonly name: string;
  readonly ledger: string;
  readonly query: LedgerQuery;
  readonly poolId: string;
  readonly createdAt: Timestamp;
}

export const toPolicy = (row: typeof reconciliationPolicies.$inferSelect): Policy => ({
  key: row.key,
  id: row.id,
  name: row.name,
  ledger: row.ledger,
  query: parseJson(row.query) as LedgerQuery, // `createPolicy` stores objects only
  poolId: row.poolId,
  createdAt: row.createdAt,
});

/** A run of a policy at two moments. */
export interface Reconciliation {
  readonly key: number;
  readonly id: string;
  readonly policyId: string;
  readonly createdAt: Timestamp;
  readonly atLedger: Timestamp;
  readonly atPayments: Timestamp;
  readonly status: "OK" | "NOT_OK";
  readonly ledgerBalances: AssetBalances;
  readonly paymentsBalances: AssetBalances;
  readonly driftBalances: AssetBalances;
  readonly error: string;
}

export const toReconciliation = (row: typeof reconciliations.$inferSelect): Reconciliation => ({
  key: row.key,
  id: row.id,
  policyId: row.policyId,
  createdAt: row.createdAt,
  atLedger: row.atLedger,
  atPayments: row.atPayments,
  status: row.status,
  ledgerBalances: fromBalancesColumn(row.ledgerBalances),
  paymentsBalances: fromBalancesColumn(row.paymentsBalances),
  driftBalances: fromBalancesColumn(row.driftBalances),
  error: row.error,
});
