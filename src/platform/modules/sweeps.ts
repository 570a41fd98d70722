import type { Sweep } from "./module.ts";
import { HELD_MS } from "#platform/arming/arming-watch.ts";
import { armingOf } from "#platform/arming/isolates.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { runWithReserve } from "#platform/db/reserve.ts";
import { Lanes } from "#platform/work/lanes.ts";

/** How long a sweep may take, in milliseconds. A sweep bounds its own work far below this limit, which only a hanging sweep reaches. */
export const SWEEP_MS_MAX = 60_000;

/** What has become of a sweep whose clock has rung. */
export interface SweepOutcome {
  /** The time of the next run, in milliseconds since the epoch; undefined if the sweep names no time. */
  readonly nextMs: number | undefined;
  /** Whether the sweep has not run, because the deployment is disarmed. */
  readonly wasPutOff: boolean;
}

/**
 * Runs a sweep, or puts it off while the deployment is disarmed. Rejects with the error of the sweep, or with `LaneTimeoutError` after
 * `SWEEP_MS_MAX`. The timeout does not stop the work, which may overlap with the next run.
 */
export async function runSweep(
  { run, purges = false, waitsForArming = false, name }: Sweep,
  context: ServiceContext,
): Promise<SweepOutcome> {
  if (waitsForArming && !(await armingOf(context.env).mayCall())) {
    return { nextMs: Date.now() + HELD_MS, wasPutOff: true };
  }
  const lane = new Lanes({ total: 1, perKey: 1, waiting: 0, timeoutMs: SWEEP_MS_MAX });
  const work = async () =>
    purges ? runWithReserve(databaseOf(context.env), () => run(context)) : run(context);
  return { nextMs: await lane.run({ key: name, run: work }), wasPutOff: false };
}
