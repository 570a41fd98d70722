import type { Sweep } from "./module.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { runWithReserve } from "#platform/db/reserve.ts";
import { logError } from "#platform/log.ts";
import { Lanes } from "#platform/work/lanes.ts";

/** What the sweeps of one alarm have come to. */
export interface SweepsOutcome {
  /** The earliest time at which one wants to run again, in milliseconds since the epoch; `Infinity` if none does. */
  readonly nextMs: number;
  /** Whether one has failed. It is to run again soon, whenever that is. */
  readonly hasFailed: boolean;
}

/**
 * How long an alarm waits for a sweep, in milliseconds. A sweep bounds its own work far below that: one that takes longer
 * hangs, and would keep all the others from ever running again.
 */
export const SWEEP_MS_MAX = 60_000;

/** Runs all sweeps at once. One that fails or hangs keeps no other from running. */
export async function runSweeps(
  sweeps: readonly Sweep[],
  contextOf: (sweep: Sweep) => ServiceContext,
): Promise<SweepsOutcome> {
  const lanes = new Lanes({
    total: sweeps.length,
    perKey: 1,
    waiting: 0,
    timeoutMs: SWEEP_MS_MAX,
  });
  let hasFailed = false;
  const times = await Promise.all(
    sweeps.map(async (sweep) => {
      const { name } = sweep;
      try {
        return await lanes.run({ key: name, run: () => runOne(sweep, contextOf(sweep)) });
      } catch (error) {
        logError("a sweep failed", error, { sweep: name });
        hasFailed = true;
        return undefined;
      }
    }),
  );
  return { nextMs: Math.min(...times.map((time) => time ?? Infinity)), hasFailed };
}

const runOne = ({ run, purges = false }: Sweep, context: ServiceContext) =>
  purges ? runWithReserve(databaseOf(context.env), () => run(context)) : run(context);
