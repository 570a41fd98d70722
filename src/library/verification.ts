import { PositionalSql } from "./positional-sql.ts";
import type { Verification } from "./types.ts";
import { answerAudit, LedgerAudit, type LedgerInfo } from "#ledger-engine";
import { AppError } from "#platform/errors.ts";
import type { Sql } from "#platform/sql/sql.ts";
import { isStorageFull } from "#platform/storage-full.ts";

/** SQLite's name for a database in a temporary file, which SQLite deletes when the database is closed or the process ends. */
const TEMPORARY = "";

/**
 * Rebuilds a ledger from its log in a temporary database, which is closed at the end, and compares every row. Throws `INTERNAL` if the
 * temporary database finds no room.
 */
export function verifyLedger(
  sql: Sql,
  info: LedgerInfo,
  copy = new PositionalSql(TEMPORARY),
): Verification {
  try {
    const audit = new LedgerAudit(copy, info);
    while (audit.report.status === "running") audit.step((request) => answerAudit(sql, request));
    const { status, ...report } = audit.report;
    return { isConsistent: status === "consistent", ...report };
  } catch (error) {
    if (!isStorageFull(error)) throw error;
    throw new AppError("INTERNAL", "the folder for temporary files has no room for a copy", {
      cause: error,
    });
  } finally {
    copy.close();
  }
}
