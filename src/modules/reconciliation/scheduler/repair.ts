import { and, eq, gt, or } from "drizzle-orm";
import { debounceOf, nextTime, type RuleSchedule } from "#modules/reconciliation/core/schedule.ts";
import { reconciliationRules } from "#modules/reconciliation/rules/tables.ts";
import { armRules } from "#modules/reconciliation/rules/watch.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { parseJson } from "#platform/json.ts";
import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";

/** The time ahead from which a rule is looked at, in milliseconds: a shorter silence ends by itself. */
const AHEAD_MS = 3_600_000;

/**
 * Sets the times of rules anew that are so far ahead that a whole time of their schedule would pass unanswered, or that are later than the
 * debounce after events: they were set while the clock was wrong, and the rules would be silent until then. The clock runs this once an hour.
 */
export async function repairTimes(context: ServiceContext): Promise<undefined> {
  const { env, clock } = context;
  const now = clock();
  const { key, schedule, nextAt, eventsDueAt, eventsTakenAt } = reconciliationRules;
  const ahead = fromMillis(toMillis(now) + AHEAD_MS);
  const db = databaseOf(env);
  const rows = await db
    .select({ key, schedule, nextAt, eventsDueAt, eventsTakenAt })
    .from(reconciliationRules)
    .where(or(gt(nextAt, ahead), gt(eventsDueAt, ahead), gt(eventsTakenAt, ahead)));
  for (const row of rows) {
    const wrong = wrongEventTime(row, now);
    if (wrong !== undefined) {
      // The lock of a run that took the events may still hold the rule; `lockRule` knows locks of a wrong clock.
      await db
        .update(reconciliationRules)
        .set({ eventsDueAt: now, eventsTakenAt: null })
        .where(and(eq(key, row.key), or(eq(eventsDueAt, wrong), eq(eventsTakenAt, wrong))));
      await armRules(context, now);
    }
    const next = repairedTime(row, now);
    if (next === undefined || row.nextAt === null) continue;
    await db
      .update(reconciliationRules)
      .set({ nextAt: next })
      .where(and(eq(key, row.key), eq(nextAt, row.nextAt)));
    await armRules(context, next);
  }
  return undefined;
}

/** The time of events that was set while the clock was ahead; undefined for a rule whose times of events are right. */
function wrongEventTime(
  {
    schedule: text,
    eventsDueAt,
    eventsTakenAt,
  }: {
    readonly schedule: string | null;
    readonly eventsDueAt: Timestamp | null;
    readonly eventsTakenAt: Timestamp | null;
  },
  now: Timestamp,
): Timestamp | undefined {
  if (text === null) return undefined;
  const schedule = parseJson(text) as RuleSchedule; // `toSchedule` has made it
  if (schedule.kind !== "events") return undefined;
  const nowMs = toMillis(now);
  if (eventsTakenAt !== null && toMillis(eventsTakenAt) > nowMs + AHEAD_MS) return eventsTakenAt;
  const latestMs = nowMs + Math.max(AHEAD_MS, debounceOf(schedule));
  return eventsDueAt !== null && toMillis(eventsDueAt) > latestMs ? eventsDueAt : undefined;
}

/** The time at which a rule has to run; undefined for a rule whose time is right. */
function repairedTime(
  row: { readonly schedule: string | null; readonly nextAt: Timestamp | null },
  now: Timestamp,
): Timestamp | undefined {
  if (row.schedule === null || row.nextAt === null) return undefined;
  const schedule = parseJson(row.schedule) as RuleSchedule; // `toSchedule` has made it
  const first = nextTime(schedule, toMillis(now));
  if (first === undefined) return undefined;
  const second = nextTime(schedule, first);
  return second !== undefined && toMillis(row.nextAt) > second ? fromMillis(first) : undefined;
}
