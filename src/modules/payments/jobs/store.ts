import { sql, type SQL } from "drizzle-orm";
import type { Job } from "./job.ts";
import { paymentJobs } from "./tables.ts";
import { JOBS_SWEEP } from "#modules/payments/common/sweep-names.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { columnValues } from "#platform/db/json-rows.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { logError } from "#platform/log.ts";
import { armClock, watchChange } from "#platform/objects/deployment-clock.ts";
import { SecretBox } from "#platform/secrets/secrets.ts";
import { toMillis } from "#platform/time.ts";
import { nextRevision } from "#platform/work/sync-columns.ts";

export interface PlannedJob {
  /** Identifies the job. A name is stored once. */
  readonly name: string;
  readonly job: Job;
  /** The connector with which the job is deleted; absent for a job of no connector. */
  readonly connectorKey?: number;
  /** A condition under which the job is stored; absent for none. */
  readonly condition?: SQL;
  /**
   * Whether a stored job of this name is due again: its last run may have ended its task and be about to delete its row.
   * Without this, the stored job stays as it is.
   */
  readonly isAnew?: boolean;
}

/** The statement that stores a job, for the batch of the change that needs it. Used inside `withJobs`. */
export function planJob(
  { env, clock }: Pick<ServiceContext, "env" | "clock">,
  { name, job, connectorKey, condition = sql`1`, isAnew = false }: PlannedJob,
) {
  const now = clock();
  const sealed = SecretBox.from(env).seal(stringifyJson(job), purposeOf(name));
  const insertion = databaseOf(env)
    .insert(paymentJobs)
    .select(
      sql`SELECT ${columnValues(paymentJobs, {
        id: null,
        name,
        job: sealed,
        connectorKey: connectorKey ?? null,
        createdAt: now,
        revision: sql`1`,
        syncedRevision: sql`0`,
        syncAttempts: sql`0`,
        syncAfter: now,
      })} WHERE ${condition}`,
    );
  return isAnew
    ? insertion.onConflictDoUpdate({ target: paymentJobs.name, set: nextRevision(now) })
    : insertion.onConflictDoNothing();
}

/**
 * Stores a change that adds jobs, and makes the sweep run at once. The sweep is armed before, so that it also runs after a
 * crash.
 */
export async function withJobs<T>(
  { env, clock }: Pick<ServiceContext, "env" | "clock">,
  store: () => Promise<T>,
): Promise<T> {
  await watchChange(env, JOBS_SWEEP, toMillis(clock()));
  const result = await store();
  try {
    await armClock(env, JOBS_SWEEP, toMillis(clock()));
  } catch (error) {
    logError("the sweep of jobs could not be started; it runs later by itself", error);
  }
  return result;
}

/** Decrypts a job that `planJob` has encrypted. */
export const openJob = (
  env: Env,
  { name, job }: { readonly name: string; readonly job: string },
): Job => parseJson(SecretBox.from(env).open(job, purposeOf(name))) as Job; // only this module writes the column

const purposeOf = (name: string): string => `payment job ${name}`;
