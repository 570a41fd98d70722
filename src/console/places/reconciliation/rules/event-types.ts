import { may } from "#console/api/florin.ts";

/** The events after which balances may be others, by the scope that reads them. */
const TYPES = [
  ["ledger.committed_transactions", "ledger:read"],
  ["ledger.reverted_transaction", "ledger:read"],
  ["payments.saved_balance", "payments:read"],
  ["payments.saved_payment", "payments:read"],
  ["payments.saved_pool", "payments:read"],
  ["payments.saved_payment_initiation_adjustment", "payments:read"],
  ["payments.connector_recovered", "payments:read"],
] as const;

/** The events that a schedule is offered: those that the person may read. */
export const eventTypes = (): readonly string[] =>
  TYPES.flatMap(([type, scope]) => (may(scope) ? [type] : []));
