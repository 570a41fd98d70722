import type { BucketContext } from "./context.ts";
import { TELLS_MAX, tellObjects } from "./deletion.ts";
import type { WorkResult } from "./fan-out.ts";
import { purgeDue, purgeTimeOf } from "./purge.ts";
import { toMillis } from "#platform/time.ts";

/** How long one sweep works on each of its two tasks: others wait for its end. */
const WORK_MS = 10_000;
/** Most ledgers that one sweep purges, with some four calls each. */
const PURGES_MAX = 60;
/** When a sweep that got nothing done is repeated. */
const RETRY_MS = 15_000;
/** While ledgers wait for their purge, a changed retention or schedule is noticed after a day at most. */
const LOOK_AGAIN_MS = 24 * 3_600_000;

/**
 * Goes on with what was cut off: objects that are to be told, ledgers that are being purged; and begins the purges whose
 * time has come. Returns when to sweep next, in milliseconds since the epoch; nothing when no ledger is deleted.
 */
export async function sweep(context: BucketContext): Promise<number | undefined> {
  const told = await tellObjects(context, {
    order: "desc",
    limits: { rowsMax: TELLS_MAX, untilMs: Date.now() + WORK_MS },
  });
  const purged = await purgeDue(context, {
    rowsMax: PURGES_MAX,
    untilMs: Date.now() + WORK_MS,
  });
  const nowMs = toMillis(context.clock());
  const times = [nextOf(told, nowMs), nextOf(purged, nowMs), await nextPurgeOf(context, nowMs)];
  const next = Math.min(...times.map((time) => time ?? Infinity));
  return next === Infinity ? undefined : next;
}

/** At once, while there is work and it gets on. */
function nextOf(result: WorkResult | undefined, nowMs: number): number | undefined {
  if (result === undefined || !result.isLeft) return undefined;
  return result.done > 0 ? nowMs : nowMs + RETRY_MS;
}

async function nextPurgeOf(context: BucketContext, nowMs: number): Promise<number | undefined> {
  const deletedAt = await context.store.findEarliestDeletion();
  if (deletedAt === undefined) return undefined;
  return Math.min(purgeTimeOf(deletedAt, context) ?? Infinity, nowMs + LOOK_AGAIN_MS);
}
