import { logError } from "#platform/log.ts";
import { armClock } from "#platform/objects/deployment-clock.ts";

/** Names of the sweeps that delete expired rows and keys. */
export const LOGINS_SWEEP = "logins";
export const GRANTS_SWEEP = "grants";
export const KEYS_SWEEP = "signing-keys";

/**
 * Schedules a sweep at a time, in milliseconds since the epoch. Never throws: if it fails, the rows are deleted by the next sweep
 * that is scheduled.
 */
export async function armSweep(
  env: Pick<Env, "CLOCK">,
  sweep: typeof GRANTS_SWEEP | typeof KEYS_SWEEP,
  atMs: number,
): Promise<void> {
  try {
    await armClock(env, sweep, atMs);
  } catch (error) {
    logError(
      "the sweep of expired rows could not be scheduled; the next change schedules it",
      error,
    );
  }
}
