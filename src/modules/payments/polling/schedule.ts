import { asc, eq, getTableColumns, sql } from "drizzle-orm";
import type { VisitedNode } from "./preorder.ts";
import { latestPlannedTime } from "./timing.ts";
import { isStaleHealth } from "#modules/payments/health/transition.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import type { ItemFetch, Schedule } from "#modules/payments/schedules/schedule.ts";
import { paymentFetches, paymentSchedules } from "#modules/payments/schedules/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import type { Timestamp } from "#platform/time.ts";

/** Failed runs in a row after which a schedule is paused, or a fetch of a parent item is left out of some runs. */
export const FAILURES_MAX = 10;

/**
 * The schedule of an installation that is due first; undefined without schedules. A time beyond every planned one was
 * stored before the machine's clock was set back, and counts as due.
 */
export async function firstDue(
  { env, clock }: Pick<ServiceContext, "env" | "clock">,
  { key: connectorKey, pollingPeriodMs }: InstalledConnector,
): Promise<Schedule | undefined> {
  const now = clock();
  const nextAt = sql<Timestamp>`
    CASE WHEN next_at > ${latestPlannedTime(now, pollingPeriodMs)} THEN ${now} ELSE next_at END`;
  const [schedule] = await databaseOf(env)
    .select({ ...getTableColumns(paymentSchedules), nextAt })
    .from(paymentSchedules)
    .where(eq(paymentSchedules.connectorKey, connectorKey))
    .orderBy(asc(nextAt), asc(paymentSchedules.key))
    .limit(1);
  return schedule;
}

export interface NextFetch {
  readonly node: VisitedNode;
  readonly fetch: ItemFetch;
}

/**
 * The next fetch after the run's position, in the order of the nodes and then of the fetches' keys; undefined at the end of
 * the run.
 */
export async function nextFetch(
  { env, clock }: Pick<ServiceContext, "env" | "clock">,
  { key, node, fetchKey }: Schedule,
  walk: readonly VisitedNode[],
): Promise<NextFetch | undefined> {
  const db = databaseOf(env);
  const now = clock();
  const start = Math.max(
    walk.findIndex(({ path }) => path === node),
    0,
  );
  for (const [place, next] of walk.slice(start).entries()) {
    const after = place === 0 && next.path === node ? fetchKey : 0;
    const [fetch] = await db
      .select()
      .from(paymentFetches)
      .where(
        sql`schedule_key = ${key} AND node = ${next.path} AND key > ${after}
          AND is_due = 1 AND (retry_at IS NULL OR retry_at <= ${now})`,
      )
      .orderBy(asc(paymentFetches.key))
      .limit(1);
    if (fetch !== undefined) return { node: next, fetch };
  }
  return undefined;
}

/** The columns of a schedule that a step changes. */
export type ScheduleChange = Partial<
  Omit<Schedule, "key" | "connectorKey" | "task" | "createdAt" | "version">
>;

/**
 * The statement that stores a change, and the schedule after it. The batch fails if the schedule was changed since it was
 * read, or if its connector is being uninstalled; `isStale` recognises the error.
 */
export function changeOf(db: Database, schedule: Schedule, change: ScheduleChange) {
  const { connectorKey, version } = schedule;
  // The upsert always conflicts with the existing row. As an insertion, it fails without the connector even if the
  // schedule's row has gone, too.
  const statement = db
    .insert(paymentSchedules)
    .values({
      ...schedule,
      connectorKey: sql`(
        SELECT c.key FROM payment_connectors AS c
        WHERE c.key = ${connectorKey} AND c.deleted_at IS NULL)`,
    })
    .onConflictDoUpdate({
      target: paymentSchedules.key,
      set: {
        ...change,
        version: sql`CASE WHEN payment_schedules.version = ${version} THEN ${version + 1} END`,
      },
    });
  return { statement, changed: { ...schedule, ...change, version: version + 1 } };
}

const STALE = /NOT NULL constraint failed: payment_schedules\.(?:version|connector_key)/;

export function isStale(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (STALE.test(cause.message) || isStaleHealth(cause.message)) return true;
  }
  return false;
}
