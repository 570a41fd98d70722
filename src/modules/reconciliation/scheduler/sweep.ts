import { and, isNotNull, isNull, lte, or, sql } from "drizzle-orm";
import { runScheduled } from "./run.ts";
import { reconciliationRules } from "#modules/reconciliation/rules/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { type Timestamp, toMillis } from "#platform/time.ts";
import { settleAll } from "#platform/work/lanes.ts";

/** How long one sweep begins runs, in milliseconds, and the longest time of one run with its storing. */
const BEGIN_MS_MAX = 20_000;
const RUN_MS_MAX = 35_000;
/** Limits of runs at once. Each run may read several ledgers. */
const LANES = { total: 4, perKey: 1, timeoutMs: RUN_MS_MAX };
/** Most rules that one sweep runs. The next sweep follows at once if there are more. */
const RULES_PER_SWEEP_MAX = 200;
/** How long a rule waits that a request is evaluating at the moment, in milliseconds. */
const BUSY_MS = 2000;

/**
 * Runs the rules that are due, by their cron schedules or because of events. Returns the time of the next run, in milliseconds since the
 * epoch; undefined if no rule is due at any time. A rule that cannot be run makes the sweep fail after the others have run, so that the
 * clock waits longer each time. Two sweeps at once do no harm: a rule is evaluated by whoever holds its lock.
 */
export async function sweepRules(context: ServiceContext): Promise<number | undefined> {
  const db = databaseOf(context.env);
  const untilMs = Date.now() + BEGIN_MS_MAX;
  const due = await listDue(db, context.clock());
  let isBehind = due.length === RULES_PER_SWEEP_MAX;
  const results = await settleAll(due, {
    limits: LANES,
    keyOf: (id) => id,
    run: async (id) => {
      if (Date.now() < untilMs) await runScheduled(context, id);
      else isBehind = true;
    },
  });
  const errors = results.flatMap(({ error }) => (error === undefined ? [] : [error]));
  if (errors.length > 0) throw new AggregateError(errors, "rules could not be run");
  const nowMs = toMillis(context.clock());
  if (isBehind) return nowMs;
  const next = await nextDue(db);
  return next === undefined ? undefined : Math.max(next, nowMs + BUSY_MS);
}

const { id, nextAt, eventsDueAt, eventsTakenAt, lockUntil } = reconciliationRules;

/** The ids of the rules that are due, those first that are due for longest. */
async function listDue(db: Database, now: Timestamp): Promise<string[]> {
  const rows = await db
    .select({ id })
    .from(reconciliationRules)
    .where(
      or(
        lte(nextAt, now),
        lte(eventsDueAt, now),
        // A run that took events and was lost is repeated when its lock has ended.
        and(isNotNull(eventsTakenAt), or(isNull(lockUntil), lte(lockUntil, now))),
      ),
    )
    .orderBy(sql`coalesce(${nextAt}, ${eventsDueAt}, ${eventsTakenAt})`)
    .limit(RULES_PER_SWEEP_MAX);
  return rows.map((row) => row.id);
}

/** The next time at which a rule is due, in milliseconds since the epoch. */
async function nextDue(db: Database): Promise<number | undefined> {
  const [row] = await db.all<{ at: Timestamp | null }>(sql`
    SELECT min(at) AS at FROM (
      SELECT min(next_at) AS at FROM ${reconciliationRules} WHERE next_at IS NOT NULL
      UNION ALL SELECT min(events_due_at) FROM ${reconciliationRules} WHERE events_due_at IS NOT NULL
      UNION ALL SELECT min(coalesce(lock_until, events_taken_at)) FROM ${reconciliationRules}
        WHERE events_taken_at IS NOT NULL)`);
  return row === undefined || row.at === null ? undefined : toMillis(row.at);
}
