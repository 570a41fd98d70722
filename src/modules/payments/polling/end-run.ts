import { and, eq, isNotNull, isNull, ne, sql } from "drizzle-orm";
import { endInstance } from "./instances.ts";
import type { Run } from "./run-context.ts";
import { changeOf, FAILURES_MAX, type ScheduleChange } from "./schedule.ts";
import { nextProbeAt, nextRunAfterFailure, nextRunAt } from "./timing.ts";
import { healthTransition } from "#modules/payments/health/transition.ts";
import { hasRejected } from "#modules/payments/rejected/store.ts";
import type { Schedule } from "#modules/payments/schedules/schedule.ts";
import { paymentFetches, paymentSchedules } from "#modules/payments/schedules/tables.ts";
import { hasConnectionFetch } from "#modules/payments/users/connection-fetches.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { Outbox } from "#platform/events/outbox.ts";
import type { Timestamp } from "#platform/time.ts";

/**
 * Ends a run. After `FAILURES_MAX` failed runs in a row the schedule is paused: its runs are then probes, after growing
 * waits, until one of them succeeds.
 */
export async function endRun(
  run: Run,
  schedule: Schedule,
  { error, isFatal }: { readonly error: string | null; readonly isFatal: boolean },
): Promise<Schedule> {
  const { context, connector } = run;
  const db = databaseOf(context.env);
  const now = context.clock();
  const { statement, changed } = changeOf(db, schedule, {
    instanceKey: null,
    node: "",
    fetchKey: 0,
    attempts: 0,
    givenUp: 0,
    lastItems: schedule.items,
    ...(isFatal
      ? failedRun(run, schedule, { error, now })
      : await completedRun(run, schedule, { error, now })),
  });
  const { statements, events } = await healthTransition(context, connector, changed);
  const { instanceKey, pausedAt } = schedule;
  const hasResumed = pausedAt !== null && changed.pausedAt === null;
  await Outbox.from(context).publish({
    change: [
      statement,
      ...(instanceKey === null ? [] : [endInstance(db, { instanceKey, now, error })]),
      ...(hasResumed ? [probeOthers(db, schedule, now)] : []),
      ...statements,
    ],
    events,
  });
  return changed;
}

interface Ending {
  readonly error: string | null;
  readonly now: Timestamp;
}

function failedRun(
  { connector: { pollingPeriodMs } }: Run,
  schedule: Schedule,
  { error, now }: Ending,
): ScheduleChange {
  const failures = schedule.failures + 1;
  const probes = failures - FAILURES_MAX + 1;
  const dueAt =
    probes > 0
      ? nextProbeAt(now, pollingPeriodMs, probes)
      : nextRunAfterFailure(now, pollingPeriodMs);
  return {
    failures,
    failingSince: schedule.failingSince ?? now,
    lastFailureAt: now,
    lastError: error,
    // The provider may have asked for a longer pause.
    nextAt: dueAt < schedule.nextAt ? schedule.nextAt : dueAt,
    ...(probes > 0 ? { pausedAt: schedule.pausedAt ?? now, pausedReason: error } : {}),
  };
}

async function completedRun(
  { context, connector }: Run,
  schedule: Schedule,
  { error, now }: Ending,
): Promise<ScheduleChange> {
  const db = databaseOf(context.env);
  const isDegraded =
    error !== null ||
    (await hasFailingFetch(db, schedule)) ||
    (schedule.degradedSince !== null && (await hasRejected(db, schedule.key)));
  return {
    failures: 0,
    failingSince: null,
    pausedAt: null,
    pausedReason: null,
    degradedSince: isDegraded ? (schedule.degradedSince ?? now) : null,
    nextAt: (await hasConnectionFetch(db, schedule))
      ? now
      : nextRunAt(now, connector.pollingPeriodMs),
    ...(error === null ? { lastSuccessAt: now } : { lastFailureAt: now, lastError: error }),
  };
}

/** Whether some fetch has failed in its last run. */
async function hasFailingFetch(db: Database, { key }: Schedule): Promise<boolean> {
  const found = await db
    .select({ key: paymentFetches.key })
    .from(paymentFetches)
    .where(sql`schedule_key = ${key} AND failures > 0`)
    .limit(1);
  return found.length > 0;
}

/** Probes the other paused schedules at once, because the provider answers again. */
const probeOthers = (db: Database, { key, connectorKey }: Schedule, now: Timestamp) =>
  db
    .update(paymentSchedules)
    .set({ nextAt: sql`min(next_at, ${now})`, version: sql`version + 1` })
    .where(
      and(
        eq(paymentSchedules.connectorKey, connectorKey),
        ne(paymentSchedules.key, key),
        isNotNull(paymentSchedules.pausedAt),
        isNull(paymentSchedules.instanceKey),
      ),
    );
