import type { BucketContext } from "./context.ts";
import { beginDuePurges, purgeTimeOf } from "./purge.ts";
import { KEPT, PURGING } from "./store.ts";
import { toMillis } from "#platform/time.ts";

/** Most objects that one sweep calls, because the platform allows it 1,000 calls. */
const SYNCS_MAX = 150;
/** Most ledgers that one sweep purges, with up to 16 calls each. */
const PURGES_MAX = 30;
/** How long one sweep works on each of its two tasks, in milliseconds. Work that is left is due at once. */
const WORK_MS = 10_000;
/**
 * Longest time between two sweeps while ledgers wait for their purge, in milliseconds, so that a changed retention or schedule is noticed.
 */
const LOOK_AGAIN_MS = 24 * 3_600_000;

/**
 * Completes interrupted work: tells objects of deletions and restorations that they do not know of, and goes on with purges. Begins the
 * purges whose time has come. Returns when to sweep next, in milliseconds since the epoch; undefined where no ledger is deleted.
 */
export async function sweep(context: BucketContext): Promise<number | undefined> {
  const { reconciler, clock } = context;
  await reconciler.run({ rowsMax: SYNCS_MAX, untilMs: Date.now() + WORK_MS, scope: KEPT });
  await beginDuePurges(context);
  await reconciler.run({ rowsMax: PURGES_MAX, untilMs: Date.now() + WORK_MS, scope: PURGING });
  const times = [await reconciler.nextSweepMs(), await nextPurgeOf(context, toMillis(clock()))];
  const next = Math.min(...times.map((time) => time ?? Infinity));
  return next === Infinity ? undefined : next;
}

async function nextPurgeOf(context: BucketContext, nowMs: number): Promise<number | undefined> {
  const deletedAt = await context.store.findEarliestDeletion();
  if (deletedAt === undefined) return undefined;
  return Math.min(purgeTimeOf(deletedAt, context) ?? Infinity, nowMs + LOOK_AGAIN_MS);
}
