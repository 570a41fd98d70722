import { type SQL, sql } from "drizzle-orm";
import { runBankAccountForward } from "./forward-bank-account.ts";
import { JOBS_SWEEP } from "#modules/payments/common/sweep-names.ts";
import { runWebhook } from "#modules/payments/deliveries/translate.ts";
import type { Job } from "#modules/payments/jobs/job.ts";
import { openJob } from "#modules/payments/jobs/store.ts";
import { paymentJobs } from "#modules/payments/jobs/tables.ts";
import { runLinkCompletion } from "#modules/payments/users/complete-link.ts";
import {
  runConnectionDeletion,
  runDeletionFromConnector,
  runUserDeletion,
} from "#modules/payments/users/deletion-jobs.ts";
import { HELD_MS, isHeld } from "#platform/arming/arming-watch.ts";
import { isArmedInSql } from "#platform/arming/held-work.ts";
import { armingOf } from "#platform/arming/isolates.ts";
import { systemClock } from "#platform/clock.ts";
import { type ServiceContext, systemContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { sweepClockOf } from "#platform/objects/deployment-clock.ts";
import { doubling } from "#platform/work/backoff.ts";
import { Reconciler } from "#platform/work/reconcile.ts";
import { type PendingRow, SyncTable } from "#platform/work/sync-table.ts";

interface PendingJob extends PendingRow {
  readonly name: string;
  readonly job: string;
  readonly connectorKey: number | null;
}

/** Limits of jobs: so many at once, but one at a time for each connector, each with a time limit in milliseconds. */
const LANES = { total: 6, timeoutMs: 60_000 };
/** Waits before a failed job is repeated. Jobs are repeated without a limit. */
const BACKOFF = doubling(1000, 100_000);
/** Limits of one sweep: how many jobs it runs, and for how many milliseconds it waits for them. */
const JOBS_PER_SWEEP_MAX = 100;
const SWEEP_MS_MAX = 20_000;

/**
 * The condition of jobs whose connector is armed. Jobs of no connector wait for the whole deployment. Jobs that wait are not claimed, so that
 * waiting counts as no attempt.
 */
const isArmed = (env: Env): SQL =>
  isArmedInSql(
    env,
    sql`(
    SELECT c.reference FROM payment_connectors AS c WHERE c.key = connector_key)`,
  );

/** Runs due jobs. Returns the time of the next sweep, in milliseconds since the epoch; undefined if none is needed. */
export async function sweepJobs({ env }: ServiceContext): Promise<number | undefined> {
  const jobs = reconcilerOf(env);
  const untilMs = Date.now() + SWEEP_MS_MAX;
  await jobs.run({ rowsMax: JOBS_PER_SWEEP_MAX, untilMs, scope: isArmed(env) });
  const nextMs = await jobs.nextSweepMs();
  if (nextMs === undefined || (await armingOf(env).mayCall())) return nextMs;
  // Jobs that wait for their connector to be armed are due all the time.
  return Math.max(nextMs, Date.now() + HELD_MS);
}

/** Runs a job, or waits for the sweep that runs it already. Returns whether it was done within `withinMs` milliseconds. */
export const runJobWithin = (env: Env, name: string, withinMs: number): Promise<boolean> =>
  reconcilerOf(env).settle({
    rowsMax: 1,
    untilMs: Date.now() + withinMs,
    scope: sql`name = ${name} AND ${isArmed(env)}`,
    waitsForSweep: true,
  });

const reconcilerOf = (env: Env): Reconciler<PendingJob> =>
  new Reconciler<PendingJob>({
    what: "payment job",
    table: new SyncTable<PendingJob>(databaseOf(env), {
      table: paymentJobs,
      returning: sql`name, job, connector_key AS connectorKey`,
      // The row of a job is deleted when the job is done.
      isFinal: sql`1`,
    }),
    apply: (row) => runJob(systemContext(env, "payments:jobs"), openJob(env, row)),
    keyOf: ({ connectorKey, name }) => (connectorKey === null ? name : `${connectorKey}`),
    lanes: LANES,
    backoff: BACKOFF,
    heldMsOf: (error) => (isHeld(error) ? HELD_MS : undefined),
    sweepClock: sweepClockOf(env, JOBS_SWEEP),
    clock: systemClock,
  });

/** Does what is left of a job. Throws if the job has to be repeated. */
async function runJob(context: ServiceContext, job: Job): Promise<void> {
  switch (job.kind) {
    case "forward-bank-account":
      return runBankAccountForward(context, job);
    case "delete-user":
      return runUserDeletion(context, job);
    case "delete-user-from-connector":
      return runDeletionFromConnector(context, job);
    case "delete-user-connection":
      return runConnectionDeletion(context, job);
    case "complete-link":
      return runLinkCompletion(context, job);
    case "translate-webhook":
      return runWebhook(context, job);
  }
}
