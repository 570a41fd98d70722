import { PositionalSql } from "./positional-sql.ts";
import type { Verification } from "./types.ts";
import { answerAudit, LedgerAudit, type LedgerInfo } from "#ledger-engine";
import type { Sql } from "#platform/sql/sql.ts";

/** SQLite's name for a database in a temporary file, which is gone when it is closed and when the process ends. */
const TEMPORARY = "";

/** Rebuilds a ledger from its log, in a temporary database, and compares every row. */
export function verifyLedger(sql: Sql, info: LedgerInfo): Verification {
  const copy = new PositionalSql(TEMPORARY);
  try {
    const audit = new LedgerAudit(copy, info);
    while (audit.report.status === "running") audit.step((request) => answerAudit(sql, request));
    const { status, ...report } = audit.report;
    return { isConsistent: status === "consistent", ...report };
  } finally {
    copy.close();
  }
}
