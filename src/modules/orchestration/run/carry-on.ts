import { advance } from "./advance.ts";
import { type RunParams, startRun } from "./platform.ts";
import { systemContext } from "#platform/context.ts";
import { logError } from "#platform/log.ts";

/** How long an instance is executed where it was started, in milliseconds, before the platform gets it. */
export const INLINE_MS_MAX = 5000;

/**
 * Executes an instance where it was started, as far as it goes without waiting. The platform gets it where it has to wait, and where
 * it takes longer than until `untilMs`. Never throws, and may be cut off anywhere: the sweep finds an instance that does not move.
 */
export async function carryOn(
  env: Env,
  run: RunParams,
  untilMs: number = Date.now() + INLINE_MS_MAX,
): Promise<void> {
  try {
    const context = systemContext(env, `instance:${run.id}`);
    while (Date.now() < untilMs) {
      const next = await advance(context, run);
      if (next.kind === "end") return;
      if (next.kind !== "go-on") break;
    }
  } catch (error) {
    logError("an instance could not be executed; the platform does it", error, {
      instance: run.id,
    });
  }
  await startRun({ env }, run);
}
