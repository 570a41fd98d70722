import { INFO } from "./fill.ts";
import { answerAudit, LedgerAudit } from "#ledger-engine/audit/audit.ts";
import type { NodeSql } from "#platform/sql/node-sql.ts";

/** Verifies a ledger with a copy that is rebuilt in `copy`, and says how many log entries that are in a second. */
export function measureVerification(sql: NodeSql, copy: NodeSql): number {
  const audit = new LedgerAudit(copy, INFO);
  const startMs = performance.now();
  while (audit.report.status === "running") {
    audit.step((request) => answerAudit(sql, request));
  }
  const seconds = (performance.now() - startMs) / 1000;
  copy.close();
  const { status, lastLogId } = audit.report;
  if (status !== "consistent") throw new Error("the ledger is not what its log says");
  return lastLogId / seconds;
}
