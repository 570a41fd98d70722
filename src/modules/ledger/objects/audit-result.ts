import type { AuditReport } from "#ledger-engine";
import { parseJson, stringifyJson } from "#platform/json.ts";
import type { Sql } from "#platform/sql/sql.ts";
import type { Timestamp } from "#platform/time.ts";

/** A report with the date at which its verification ended; absent while the verification is running. */
export interface DatedReport {
  readonly report: AuditReport;
  readonly at?: Timestamp;
}

/** The result of the last verification that ended, with the id of its ledger: another ledger may get the name after a purge. */
export interface AuditResult extends Required<DatedReport> {
  readonly uuid: string;
}

/** Finds the last result. Storage without one is not written to. */
export function findResult(sql: Sql): AuditResult | undefined {
  if (sql.all("SELECT 1 FROM sqlite_master WHERE name = 'audit_result'").length === 0) return;
  const [row] = sql.all<{ result: string }>("SELECT result FROM audit_result");
  if (row === undefined) return;
  const { report, ...result } = parseJson(row.result) as StoredResult; // written by `saveResult`
  const totals = report.totals.map(({ asset, input, output }) => ({
    asset,
    input: BigInt(input),
    output: BigInt(output),
  }));
  return { ...result, report: { ...report, totals } };
}

export function saveResult(sql: Sql, result: AuditResult): void {
  sql.all(
    "CREATE TABLE IF NOT EXISTS audit_result (one INTEGER PRIMARY KEY CHECK (one = 1), result TEXT NOT NULL) STRICT",
  );
  sql.all(
    "INSERT INTO audit_result (one, result) VALUES (1, ?) ON CONFLICT DO UPDATE SET result = excluded.result",
    stringifyJson(result),
  );
}

export function deleteResult(sql: Sql): void {
  sql.all("DROP TABLE IF EXISTS audit_result");
}

/** A result as `parseJson` gives it: small integers are numbers. */
interface StoredResult extends Omit<AuditResult, "report"> {
  readonly report: Omit<AuditReport, "totals"> & {
    readonly totals: readonly {
      readonly asset: string;
      readonly input: number | bigint;
      readonly output: number | bigint;
    }[];
  };
}
