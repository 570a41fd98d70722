import type { Findings } from "./compute.ts";
import type { RunCause } from "#modules/reconciliation/core/run-cause.ts";
import type { LockedRule } from "#modules/reconciliation/rules/lock.ts";
import type { Rule } from "#modules/reconciliation/rules/rule.ts";
import type { Timestamp } from "#platform/time.ts";

/** An evaluation that is to be stored. */
export interface FinishedEvaluation {
  readonly locked: LockedRule;
  readonly rule: Rule;
  readonly findings: Findings;
  readonly id: string;
  readonly periodId: string;
  readonly startedAt: Timestamp;
  readonly endedAt: Timestamp;
  readonly cause: RunCause;
}
