import { sql } from "drizzle-orm";
import { reconcilerOf, sweepLimits } from "#modules/payments/installs/reconciler.ts";
import { paymentConnectors } from "#modules/payments/installs/tables.ts";
import { forgetOldMarks } from "#modules/payments/lookups/forget-marks.ts";
import { isArmedInSql } from "#platform/arming/held-work.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";
import { nextRevision } from "#platform/work/sync-columns.ts";

/** Work that is late by this time, in milliseconds, counts as overdue: its object has lost its alarm. */
const OVERDUE_MS = 60_000;
/** The time after which an object that was woken and is still overdue is woken again, in milliseconds. */
const WOKEN_MS = 15_000;
/** Most connectors that one sweep wakes. */
const WOKEN_MAX = 100;

/**
 * Calls objects whose rows have changed, wakes objects with overdue schedules or removals, and forgets references of long ago. Returns the time of the next
 * sweep, in milliseconds since the epoch; undefined if none is needed.
 */
export async function sweepConnectors(context: ServiceContext): Promise<number | undefined> {
  const { env, clock } = context;
  const db = databaseOf(env);
  const nowMs = toMillis(clock());
  await wakeOverdue(env, fromMillis(nowMs - OVERDUE_MS), clock());
  const reconciler = reconcilerOf(env);
  await reconciler.run(sweepLimits());
  await forgetOldMarks(context);
  const [pendingMs, dueAt] = await Promise.all([reconciler.nextSweepMs(), nextDue(db)]);
  // An object that was just woken needs some time, and may fail.
  const overdueMs =
    dueAt === undefined ? undefined : Math.max(toMillis(dueAt) + OVERDUE_MS, nowMs + WOKEN_MS);
  const times = [pendingMs, overdueMs].filter((time) => time !== undefined);
  return times.length === 0 ? undefined : Math.min(...times);
}

/**
 * Wakes connectors that are armed, those that are late for longest first, by a new revision, so that the reconciler calls their objects until
 * one call succeeds.
 */
async function wakeOverdue(env: Env, before: Timestamp, now: Timestamp): Promise<void> {
  await databaseOf(env)
    .update(paymentConnectors)
    .set(nextRevision(now))
    .where(
      sql`key IN (
        SELECT c.key FROM (
          SELECT connector_key, next_at AS due FROM payment_schedules WHERE next_at < ${before}
          UNION ALL
          SELECT key, deleted_at FROM payment_connectors WHERE deleted_at < ${before}) AS late
        JOIN payment_connectors AS c ON c.key = late.connector_key
        WHERE c.synced_revision = c.revision AND ${isArmedInSql(env, sql`c.reference`)}
        GROUP BY c.key ORDER BY min(late.due) LIMIT ${WOKEN_MAX})`,
    );
}

/** The time of the first schedule or removal for which an object rings by itself. */
async function nextDue(db: Database): Promise<Timestamp | undefined> {
  const [row] = await db.all<{ due: Timestamp | null }>(sql`
    SELECT min(due) AS due FROM (
      SELECT min(next_at) AS due FROM payment_schedules
      UNION ALL SELECT min(deleted_at) FROM payment_connectors WHERE deleted_at IS NOT NULL)`);
  return row?.due ?? undefined;
}
