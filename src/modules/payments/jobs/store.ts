import { sql, type SQL } from "drizzle-orm";
import type { Job } from "./job.ts";
import { paymentJobs } from "./tables.ts";
import { JOBS_SWEEP } from "#modules/payments/common/sweep-names.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { logError } from "#platform/log.ts";
import { armClock, watchChange } from "#platform/objects/deployment-clock.ts";
import { SecretBox } from "#platform/secrets/secrets.ts";
import { toMillis } from "#platform/time.ts";
import { nextRevision } from "#platform/work/sync-columns.ts";

export interface PlannedJob {
  /** The same job has the same name, and is there once. */
  readonly name: string;
  readonly job: Job;
  /** The connector that it belongs to, and is deleted with. */
  readonly connectorKey?: number;
  /** Where it is given, the job is planned only if it holds. */
  readonly condition?: SQL;
  /**
   * Whether it is begun anew where it is there already: its last run may have ended its task, and be about to remove it. Without this,
   * the one that is there counts.
   */
  readonly isAnew?: boolean;
}

/** The statement that plans a job, for the batch of what it follows from. It belongs inside `withJobs`. */
export function planJob(
  { env, clock }: Pick<ServiceContext, "env" | "clock">,
  { name, job, connectorKey, condition = sql`1`, isAnew = false }: PlannedJob,
) {
  const now = clock();
  const sealed = SecretBox.from(env).seal(stringifyJson(job), purposeOf(name));
  // In the order of the columns; the last four say that it is due.
  const insertion = databaseOf(env)
    .insert(paymentJobs)
    .select(
      sql`SELECT NULL, ${name}, ${sealed}, ${connectorKey ?? null}, ${now}, 1, 0, 0, ${now} WHERE ${condition}`,
    );
  return isAnew
    ? insertion.onConflictDoUpdate({ target: paymentJobs.name, set: nextRevision(now) })
    : insertion.onConflictDoNothing();
}

/** Stores a change that plans jobs, and lets the sweep run them at once. It also runs them if the caller is killed in between. */
export async function withJobs<T>(
  { env, clock }: Pick<ServiceContext, "env" | "clock">,
  store: () => Promise<T>,
): Promise<T> {
  await watchChange(env, JOBS_SWEEP, toMillis(clock()));
  const result = await store();
  try {
    await armClock(env, JOBS_SWEEP, toMillis(clock()));
  } catch (error) {
    logError("the sweep of jobs could not be called; it comes by itself", error);
  }
  return result;
}

/** Opens what `planJob` has sealed. */
export const openJob = (
  env: Env,
  { name, job }: { readonly name: string; readonly job: string },
): Job => parseJson(SecretBox.from(env).open(job, purposeOf(name))) as Job; // only this module seals it

const purposeOf = (name: string): string => `payment job ${name}`;
