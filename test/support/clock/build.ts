import type { FastTime } from "./fast-time.ts";
import { buildEntry } from "#bench/build.ts";
import { inProject } from "#scripts/lib/project.ts";

/** Builds the product with a clock that shows a fast time. Returns the path of the script. */
export const buildClockWorker = ({ startMs, speed }: FastTime): Promise<string> =>
  buildEntry("test/support/clock/worker.ts", inProject(`dist/test/clock-${speed}`), [
    `--define=CLOCK_START_MS:${startMs}`,
    `--define=CLOCK_SPEED:${speed}`,
  ]);
