import type { BucketContext } from "./context.ts";
import { purgedObjects } from "./store.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";

/** When a ledger is purged that was deleted at a time, in milliseconds since the epoch; undefined for never. */
export const purgeTimeOf = (
  deletedAt: Timestamp,
  { settings }: Pick<BucketContext, "settings">,
): number | undefined =>
  settings.FLORIN_BUCKET_CLEANUP_SCHEDULE.next(
    toMillis(deletedAt) + settings.FLORIN_BUCKET_RETENTION,
  );

/**
 * Begins the purge of ledgers whose retention was over at the last time of the schedule. The reconciler empties their storage first and
 * deletes their rows last, so that a name becomes free when nothing of the ledger is left.
 */
export async function beginDuePurges({
  store,
  clock,
  settings,
  caller,
}: BucketContext): Promise<void> {
  const now = clock();
  const lastMs = settings.FLORIN_BUCKET_CLEANUP_SCHEDULE.last(toMillis(now));
  if (lastMs === undefined) return;
  const beforeMs = Math.floor(lastMs - settings.FLORIN_BUCKET_RETENTION) + 1;
  const earliest = await store.findEarliestDeletion();
  if (earliest === undefined || toMillis(earliest) >= beforeMs) return;
  const change = new AuditedChange(caller, {
    action: "ledger.bucket.purge",
    object: purgedObjects(now),
  });
  await store.beginPurge(fromMillis(beforeMs), now, change);
}
