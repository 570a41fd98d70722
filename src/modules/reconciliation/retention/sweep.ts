import { purgeDeleted } from "./deleted.ts";
import { purgeOld } from "./old.ts";
import type { ServiceContext } from "#platform/context.ts";

/**
 * Deletes what belongs to deleted policies and rules, and what is older than the settings say, a limited number of rows at a time. Returns
 * when to do so next, in milliseconds since the epoch. **A kill between any two statements leaves nothing by halves**: rows of something
 * deleted are shown no more, and the next sweep finds the rest.
 */
export async function sweepRetention(
  context: Pick<ServiceContext, "env" | "clock">,
): Promise<number | undefined> {
  // What is old comes first: the objects of deleted things, which are called, may fail.
  const times = [await purgeOld(context), await purgeDeleted(context)].filter(
    (time) => time !== undefined,
  );
  return times.length === 0 ? undefined : Math.min(...times);
}
