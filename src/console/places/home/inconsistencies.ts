import type { Alert } from "./alert.ts";
import type { components } from "#openapi";

/** An alert for each ledger that differs from its log, which leads to what its verification has found. */
export const inconsistencyAlerts = (
  ledgers: readonly components["schemas"]["InconsistentLedger"][],
  title: string,
): readonly Alert[] =>
  ledgers.map(({ ledger, inconsistentSince }) => ({
    id: `verification ${ledger}`,
    tone: "bad",
    title,
    note: ledger,
    since: inconsistentSince,
    path: `/ledgers/${encodeURIComponent(ledger)}/verification`,
  }));
