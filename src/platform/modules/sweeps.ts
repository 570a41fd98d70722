import type { Sweep } from "./module.ts";
import { HELD_MS } from "#platform/arming/arming-watch.ts";
import { armingOf } from "#platform/arming/isolates.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { runWithReserve } from "#platform/db/reserve.ts";
import { Lanes } from "#platform/work/lanes.ts";

/** How long a sweep may take, in milliseconds. A sweep bounds its own work far below this limit, which only a hanging sweep reaches. */
export const SWEEP_MS_MAX = 60_000;

/**
 * Runs a sweep, or puts it off while the deployment is disarmed. Returns the time of the next run, in milliseconds since the epoch; undefined if the sweep names no time. Rejects with
 * the error of the sweep, or with `LaneTimeoutError` after `SWEEP_MS_MAX`. The timeout does not stop the work, which may overlap
 * with the next run.
 */
export async function runSweep(
  { run, purges = false, waitsForArming = false, name }: Sweep,
  context: ServiceContext,
): Promise<number | undefined> {
  if (waitsForArming && !(await armingOf(context.env).mayCall())) return Date.now() + HELD_MS;
  const lane = new Lanes({ total: 1, perKey: 1, waiting: 0, timeoutMs: SWEEP_MS_MAX });
  const work = async () =>
    purges ? runWithReserve(databaseOf(context.env), () => run(context)) : run(context);
  return lane.run({ key: name, run: work });
}
