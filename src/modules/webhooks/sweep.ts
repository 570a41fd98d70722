import type { WebhookContext } from "./context.ts";
import type { OverduePosition } from "./delivery-store.ts";
import { CLAIM_MS_MAX, OVERDUE_AFTER_MS } from "./schedule.ts";
import { fromMillis, toMillis } from "#platform/time.ts";

/** Most forgotten deliveries that one sweep plans again. The next sweep plans the others. */
const SWEEP_ROWS_MAX = 10_000;
const PAGE_SIZE = 1000;

/**
 * Plans forgotten work again: pending deliveries whose message was lost, and claims whose holder has died. An extra
 * message does no harm, because only one of them finds the delivery pending. Returns when to sweep next, in
 * milliseconds since the epoch; undefined if nothing is under way.
 */
export async function sweep({
  deliveries,
  schedule,
  clock,
}: WebhookContext): Promise<number | undefined> {
  const now = clock();
  const nowMs = toMillis(now);
  const released = await deliveries.releaseStale(fromMillis(nowMs - CLAIM_MS_MAX), now);
  await schedule.announce(released.map((id) => ({ id, nextAttemptAt: now })));

  const dueBy = fromMillis(nowMs - OVERDUE_AFTER_MS);
  let after: OverduePosition | undefined;
  for (let count = 0; count < SWEEP_ROWS_MAX; count += PAGE_SIZE) {
    const overdue = await deliveries.listOverdue(dueBy, { after, limit: PAGE_SIZE });
    await schedule.announce(overdue);
    after = overdue.at(-1);
    if (overdue.length < PAGE_SIZE) break;
  }

  const { dueAt, claimedAt } = await deliveries.readDeadlines();
  if (dueAt === undefined && claimedAt === undefined) return undefined;
  const deadlines = [
    dueAt === undefined ? Infinity : toMillis(dueAt) + OVERDUE_AFTER_MS,
    claimedAt === undefined ? Infinity : toMillis(claimedAt) + CLAIM_MS_MAX,
  ];
  return Math.max(Math.min(...deadlines), nowMs + OVERDUE_AFTER_MS);
}
