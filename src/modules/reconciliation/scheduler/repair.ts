import { and, eq, gt } from "drizzle-orm";
import { nextTime, type RuleSchedule } from "#modules/reconciliation/core/schedule.ts";
import { reconciliationRules } from "#modules/reconciliation/rules/tables.ts";
import { armRules } from "#modules/reconciliation/rules/watch.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { parseJson } from "#platform/json.ts";
import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";

/** The time ahead from which a rule is looked at, in milliseconds: a shorter silence ends by itself. */
const AHEAD_MS = 3_600_000;

/**
 * Sets the times of rules anew that are so far ahead that a whole time of their schedule would pass unanswered: they were set while the
 * clock was wrong, and the rules would be silent until then. The clock runs this once an hour.
 */
export async function repairTimes(context: ServiceContext): Promise<undefined> {
  const { env, clock } = context;
  const now = clock();
  const { key, schedule, nextAt } = reconciliationRules;
  const db = databaseOf(env);
  const rows = await db
    .select({ key, schedule, nextAt })
    .from(reconciliationRules)
    .where(gt(nextAt, fromMillis(toMillis(now) + AHEAD_MS)));
  for (const row of rows) {
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
