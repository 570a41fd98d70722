import type { reconciliationEvaluations } from "./tables.ts";
import type { RunCause } from "#modules/reconciliation/core/run-cause.ts";
import type { CheckOutcome } from "#modules/reconciliation/core/templates/template.ts";
import { parseJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";

/** One run of a rule. */
export interface RuleEvaluation {
  readonly key: number;
  readonly id: string;
  readonly ruleId: string;
  readonly result: "PASS" | "FAIL" | "ERROR";
  readonly startedAt: Timestamp;
  readonly endedAt: Timestamp;
  readonly createdAt: Timestamp;
  /** The moment as of which each source was read, by the key of the source. */
  readonly moments: Readonly<Record<string, Timestamp>>;
  readonly evidence: readonly CheckOutcome[] | ErrorEvidence;
  readonly error?: string;
  readonly costUnits: number;
  readonly cause: RunCause;
}

/** The evidence of an error. */
export interface ErrorEvidence {
  readonly error: string;
}

/** An evaluation from its row. The types of the row's JSON are known, because only `store.ts` writes it. */
export const toEvaluation = (
  row: typeof reconciliationEvaluations.$inferSelect,
): RuleEvaluation => ({
  key: row.key,
  id: row.id,
  ruleId: row.ruleId,
  result: row.result,
  startedAt: row.startedAt,
  endedAt: row.endedAt,
  createdAt: row.createdAt,
  moments: parseJson(row.moments) as Record<string, Timestamp>,
  evidence: parseJson(row.evidence) as RuleEvaluation["evidence"],
  ...(row.error === null ? {} : { error: row.error }),
  costUnits: row.costUnits,
  cause: parseJson(row.cause) as RunCause,
});
