import type { BucketContext } from "./context.ts";
import { fanOut, type WorkLimits, type WorkResult } from "./fan-out.ts";
import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";

/** When a ledger that was deleted then is purged, in milliseconds since the epoch. Undefined for never. */
export const purgeTimeOf = (
  deletedAt: Timestamp,
  { settings }: Pick<BucketContext, "settings">,
): number | undefined =>
  settings.FLORIN_BUCKET_CLEANUP_SCHEDULE.next(
    toMillis(deletedAt) + settings.FLORIN_BUCKET_RETENTION,
  );

/**
 * Purges the ledgers whose time has come by the last time of the schedule: their storage is emptied first and their rows
 * go last, so that a name is free when nothing is left behind it.
 */
export async function purgeDue(
  context: BucketContext,
  limits: WorkLimits,
): Promise<WorkResult | undefined> {
  const { store, purge } = context;
  const isBegun = await beginPurge(context);
  if (!isBegun && !(await store.hasPurging())) return undefined;
  return fanOut(
    {
      list: (after, limit) => store.listPurging({ after, limit }),
      run: purge,
      markDone: (ledgers) => store.remove(ledgers),
    },
    limits,
  );
}

async function beginPurge({ store, clock, settings }: BucketContext): Promise<boolean> {
  const now = clock();
  const lastMs = settings.FLORIN_BUCKET_CLEANUP_SCHEDULE.last(toMillis(now));
  if (lastMs === undefined) return false;
  const beforeMs = Math.floor(lastMs - settings.FLORIN_BUCKET_RETENTION) + 1;
  const earliest = await store.findEarliestDeletion();
  if (earliest === undefined || toMillis(earliest) >= beforeMs) return false;
  await store.beginPurge(fromMillis(beforeMs), now);
  return true;
}
