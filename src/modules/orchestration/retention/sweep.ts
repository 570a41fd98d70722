import { purgeInstances } from "./instances.ts";
import { expireOccurrences, forgetOccurrences } from "./occurrences.ts";
import { orchestrationSettings } from "#modules/orchestration/settings.ts";
import type { ServiceContext } from "#platform/context.ts";

/**
 * Purges instances and occurrences that ended long ago, a limited number at a time. Returns when to purge next, in milliseconds since the
 * epoch. **A kill between any two statements leaves nothing by halves:** an instance is deleted in one batch with everything that belongs
 * to it, and the next sweep finds the rest.
 */
export async function sweepEnded(
  context: Pick<ServiceContext, "env" | "clock">,
): Promise<number | undefined> {
  const { FLORIN_ORCHESTRATION_RETENTION: retentionMs } = orchestrationSettings.of(context.env);
  const times = [
    await purgeInstances(context, retentionMs),
    await expireOccurrences(context, retentionMs),
    await forgetOccurrences(context),
  ].filter((time) => time !== undefined);
  return times.length === 0 ? undefined : Math.min(...times);
}
