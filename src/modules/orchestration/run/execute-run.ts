import { advance } from "./advance.ts";
import { GO_ON, type Next } from "./next.ts";
import type { RunParams } from "./platform.ts";
import { systemContext } from "#platform/context.ts";
import { logError } from "#platform/log.ts";
import { takeTurns } from "#platform/work/turns.ts";

/** How long an instance is executed at a stretch, in milliseconds, before the platform gets it. */
export const INLINE_MS_MAX = 5000;

/**
 * Executes an instance until it waits or ends, or until `untilMs`, and returns what is to be done next: to go on where the time was over,
 * or where the instance could not be executed. Never throws, and may be cut off anywhere: the sweep finds an instance that does not move.
 */
export async function executeRun(env: Env, run: RunParams, untilMs: number): Promise<Next> {
  try {
    const context = systemContext(env, `instance:${run.id}`);
    while (Date.now() < untilMs) {
      await takeTurns();
      const next = await advance(context, run);
      if (next.kind !== "go-on") return next;
    }
  } catch (error) {
    logError("an instance could not be executed; the platform executes it", error, {
      instance: run.id,
    });
  }
  return GO_ON;
}
