import type { Sweep } from "./module.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { runWithReserve } from "#platform/db/reserve.ts";
import { Lanes } from "#platform/work/lanes.ts";

/**
 * How long a sweep may take, in milliseconds. A sweep bounds its own work far below that: one that takes longer hangs, and is run anew
 * later.
 */
export const SWEEP_MS_MAX = 60_000;

/**
 * Runs a sweep. Returns when it wants to run again, in milliseconds since the epoch; undefined for never. Throws what the sweep throws,
 * and `LaneTimeoutError` for one that hangs.
 */
export function runSweep(
  { run, purges = false, name }: Sweep,
  context: ServiceContext,
): Promise<number | undefined> {
  const lane = new Lanes({ total: 1, perKey: 1, waiting: 0, timeoutMs: SWEEP_MS_MAX });
  const work = async () =>
    purges ? runWithReserve(databaseOf(context.env), () => run(context)) : run(context);
  return lane.run({ key: name, run: work });
}
