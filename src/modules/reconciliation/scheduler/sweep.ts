import { and, isNotNull, isNull, lte, or, sql } from "drizzle-orm";
import { runScheduled } from "./run.ts";
import { reconciliationRules } from "#modules/reconciliation/rules/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { stringifyJson } from "#platform/json.ts";
import { logError } from "#platform/log.ts";
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
/** Longest wait before a rule is tried again that cannot be run, in milliseconds. */
const RETRY_MS_MAX = 3_600_000;

/**
 * Runs the rules that are due, by their cron schedules or because of events. Returns the time of the next run, in milliseconds since the
 * epoch; undefined if no rule is due at any time. A rule that cannot be run is logged and delays no other one: the wait until it is tried
 * again is as long as it has been due, at most an hour. The sweep fails only if there are more due rules than it can try, and none of those
 * that it has tried could be run. Two sweeps at once do no harm: a rule is evaluated by whoever holds its lock.
 */
export async function sweepRules(context: ServiceContext): Promise<number | undefined> {
  const db = databaseOf(context.env);
  const untilMs = Date.now() + BEGIN_MS_MAX;
  const due = await listDue(db, context.clock());
  let isBehind = due.length === RULES_PER_SWEEP_MAX;
  const results = await settleAll(due, {
    limits: LANES,
    keyOf: (rule) => rule.id,
    run: async (rule) => {
      if (Date.now() < untilMs) await runScheduled(context, rule.id);
      else isBehind = true;
    },
  });
  const failed = results.flatMap(({ item, error }) =>
    error === undefined ? [] : [{ item, error }],
  );
  for (const { item, error } of failed) logError(`the rule ${item.id} could not be run`, error);
  const nowMs = toMillis(context.clock());
  if (isBehind) {
    if (failed.length < due.length) return nowMs;
    throw new AggregateError(
      failed.map(({ error }) => error),
      "no rule could be run",
    );
  }
  const failedRules = failed.map(({ item }) => item);
  const next = await nextDue(db, failedRules);
  const times = [
    ...(next === undefined ? [] : [Math.max(next, nowMs + BUSY_MS)]),
    ...failedRules.map(({ dueAt }) => nowMs + retryMs(nowMs - toMillis(dueAt))),
  ];
  return times.length === 0 ? undefined : Math.min(...times);
}

/** The wait before a rule is tried again that cannot be run: as long as the rule has been due, so that waits double. */
const retryMs = (overdueMs: number): number => Math.min(Math.max(overdueMs, BUSY_MS), RETRY_MS_MAX);

interface DueRule {
  readonly id: string;
  readonly dueAt: Timestamp;
}

const { id, nextAt, eventsDueAt, eventsTakenAt, lockUntil } = reconciliationRules;

/** The rules that are due, those first that are due for longest. */
async function listDue(db: Database, now: Timestamp): Promise<DueRule[]> {
  const dueAt = sql<Timestamp>`coalesce(${nextAt}, ${eventsDueAt}, ${eventsTakenAt})`;
  return db
    .select({ id, dueAt })
    .from(reconciliationRules)
    .where(
      or(
        lte(nextAt, now),
        lte(eventsDueAt, now),
        // A run that took events and was lost is repeated when its lock has ended.
        and(isNotNull(eventsTakenAt), or(isNull(lockUntil), lte(lockUntil, now))),
      ),
    )
    .orderBy(dueAt)
    .limit(RULES_PER_SWEEP_MAX);
}

/** The next time at which a rule other than certain ones is due, in milliseconds since the epoch. */
async function nextDue(db: Database, without: readonly DueRule[]): Promise<number | undefined> {
  const ids = stringifyJson(without.map((rule) => rule.id));
  const isOther = sql`id NOT IN (SELECT value FROM json_each(${ids}))`;
  const [row] = await db.all<{ at: Timestamp | null }>(sql`
    SELECT min(at) AS at FROM (
      SELECT min(next_at) AS at FROM ${reconciliationRules} WHERE next_at IS NOT NULL AND ${isOther}
      UNION ALL SELECT min(events_due_at) FROM ${reconciliationRules}
        WHERE events_due_at IS NOT NULL AND ${isOther}
      UNION ALL SELECT min(coalesce(lock_until, events_taken_at)) FROM ${reconciliationRules}
        WHERE events_taken_at IS NOT NULL AND ${isOther})`);
  return row === undefined || row.at === null ? undefined : toMillis(row.at);
}
