import { purgeInstances } from "./instances.ts";
import { expireOccurrences, forgetOccurrences } from "./occurrences.ts";
import { orchestrationSettings } from "#modules/orchestration/settings.ts";
import type { ServiceContext } from "#platform/context.ts";

/**
 * Purges what has ended long ago, some at a time; returns when to purge next, in milliseconds since the epoch. **A kill between any two
 * statements leaves nothing by halves:** an instance goes in one batch with all that belongs to it, and what is left is found again.
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
