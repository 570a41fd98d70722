import { logError } from "#platform/log.ts";
import { armClock } from "#platform/objects/deployment-clock.ts";

/** Makes sure that the sweeps run by then. Never throws: what is left over is swept with what comes next. */
export async function armSweep(env: Pick<Env, "CLOCK">, atMs: number): Promise<void> {
  try {
    await armClock(env, atMs);
  } catch (error) {
    logError("the sweep of what has expired could not be scheduled; the next one is", error);
  }
}
