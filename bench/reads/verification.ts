import { INFO } from "./fill.ts";
import { verifyLedger } from "#library/verification.ts";
import type { NodeSql } from "#platform/sql/node-sql.ts";

/** Verifies a ledger as the library does, and returns the rate in log entries a second. */
export function measureVerification(sql: NodeSql): number {
  const startMs = performance.now();
  const { isConsistent, lastLogId } = verifyLedger(sql, INFO);
  const seconds = (performance.now() - startMs) / 1000;
  if (!isConsistent) throw new Error("the ledger is not what its log says");
  return lastLogId / seconds;
}
