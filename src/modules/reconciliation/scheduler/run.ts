import { eq } from "drizzle-orm";
import { currentPrincipal } from "#modules/auth/index.ts";
import type { RunCause } from "#modules/reconciliation/core/run-cause.ts";
import { marginOf, missedTimes } from "#modules/reconciliation/core/schedule.ts";
import { evaluateLocked, refusalOf } from "#modules/reconciliation/evaluations/evaluate.ts";
import { type LockedRule, lockRule, releaseRule } from "#modules/reconciliation/rules/lock.ts";
import { type Rule, toRule } from "#modules/reconciliation/rules/rule.ts";
import { reconciliationRules } from "#modules/reconciliation/rules/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError, type FailureKind } from "#platform/errors.ts";
import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";

/** How long after its time a run counts as late, in milliseconds. */
const LATE_MS = 60_000;

/** Failures after which a rule is due again by itself, or no more. */
const PASSING: ReadonlySet<FailureKind> = new Set<FailureKind>([
  "NOT_FOUND",
  "RULE_BUSY",
  "RULE_CHANGED",
]);

/**
 * Runs a rule that is due, with the rights that whoever last changed it has now. Times of a cron schedule that have passed unanswered have
 * one run together, which says so. A rule that is evaluated by somebody else at the moment stays due.
 */
export async function runScheduled(context: ServiceContext, ruleId: string): Promise<void> {
  try {
    const { row, ...times } = await readDue(context, ruleId);
    const isForEvents = !times.isCronDue && times.areEventsDue;
    if (row === undefined || (!times.isCronDue && !isForEvents)) return;
    const locked = await lockRule(context, ruleId, { takesEvents: isForEvents });
    await runLocked(context, locked, isForEvents);
  } catch (error) {
    if (!(error instanceof AppError) || !PASSING.has(error.kind)) throw error;
  }
}

/** Whether a rule is still due, and for what: another sweep may have run it. */
async function readDue({ env, clock }: ServiceContext, ruleId: string) {
  const [row] = await databaseOf(env)
    .select()
    .from(reconciliationRules)
    .where(eq(reconciliationRules.id, ruleId));
  const now = clock();
  return {
    row,
    isCronDue: isPast(row?.nextAt, now),
    areEventsDue: isPast(row?.eventsDueAt, now) || isPast(row?.eventsTakenAt, now),
  };
}

const isPast = (at: Timestamp | null | undefined, now: Timestamp): boolean =>
  at !== null && at !== undefined && at <= now;

async function runLocked(
  context: ServiceContext,
  locked: LockedRule,
  isForEvents: boolean,
): Promise<void> {
  const rule = toRule(locked.row);
  const run = isForEvents
    ? { cause: { kind: "events" } as const, at: undefined }
    : cronRun(rule, locked.row.nextAt, context.clock());
  if (run === undefined) return releaseRule(context, locked);
  const owner = await currentPrincipal(context, rule.principal);
  const acting: ServiceContext = {
    ...context,
    principal: owner ?? { ...rule.principal, scopes: new Set() },
    requestId: `rule:${rule.id}`,
    // An alert that follows from events is one step further in the chain of what led to the events.
    ...(isForEvents ? { causationDepth: locked.row.eventsDepth + 1 } : {}),
  };
  await evaluateLocked(acting, locked, {
    at: run.at,
    marginMs: marginOf(rule.schedule),
    cause: run.cause,
    mayRead: () => refusalOf(rule, owner),
  });
}

/**
 * The run that answers the due times of a cron schedule; undefined where none is due any more. A run of a rule with periods reads as of the
 * last due time, so that its period is the one that the schedule meant, however late it begins; a continuous rule reads as of now.
 */
function cronRun(
  { schedule, periodType }: Rule,
  nextAt: Timestamp | null,
  now: Timestamp,
): { readonly cause: RunCause; readonly at: Timestamp | undefined } | undefined {
  if (schedule?.kind !== "cron" || nextAt === null || nextAt > now) return undefined;
  const nowMs = toMillis(now);
  const { count, lastMs } = missedTimes(schedule, { dueMs: toMillis(nextAt), nowMs });
  const isLate = nowMs - lastMs > LATE_MS || count > 1;
  const dueAt = fromMillis(lastMs);
  return {
    cause: { kind: "cron", dueAt, due: count, isLate },
    at: periodType === "continuous" ? undefined : dueAt,
  };
}
