import { logError } from "#platform/log.ts";
import { armClock } from "#platform/objects/deployment-clock.ts";

/** The sweeps that purge what has expired. */
export const LOGINS_SWEEP = "logins";
export const GRANTS_SWEEP = "grants";
export const KEYS_SWEEP = "signing-keys";

/** Makes sure that a sweep runs by then. Never throws: what is left over is swept with what comes next. */
export async function armSweep(
  env: Pick<Env, "CLOCK">,
  sweep: typeof GRANTS_SWEEP | typeof KEYS_SWEEP,
  atMs: number,
): Promise<void> {
  try {
    await armClock(env, sweep, atMs);
  } catch (error) {
    logError("the sweep of what has expired could not be scheduled; the next one is", error);
  }
}
