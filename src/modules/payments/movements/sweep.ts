import { applyAllPaymentUpdates } from "./payment-updates.ts";
import { TO_CONNECTOR } from "./wake.ts";
import { connectorsOverdue, nextOfAllMs } from "#modules/payments/initiations/movement-rows.ts";
import type { ServiceContext } from "#platform/context.ts";
import { logError } from "#platform/log.ts";
import { objectAt } from "#platform/objects/address.ts";
import { reachObject } from "#platform/objects/call.ts";
import { fromMillis, toMillis } from "#platform/time.ts";
import { settleAll } from "#platform/work/lanes.ts";

/** The delay after which a movement counts as overdue, in milliseconds: its object was not woken, or has lost its alarm. */
const OVERDUE_MS = 5000;
/** The time after which an object that was woken and still has an overdue movement is woken again, in milliseconds. */
const WOKEN_MS = 15_000;
/** Most objects that one sweep wakes, and the limits of these calls. */
const WOKEN_MAX = 100;
const LANES = { total: 16, perKey: 1, timeoutMs: 10_000 };

/**
 * Wakes the objects of connectors with overdue movements, and applies news of payments to initiations. Returns the time of
 * the next sweep, in milliseconds since the epoch; undefined if none is needed.
 */
export async function sweepInitiations(context: ServiceContext): Promise<number | undefined> {
  const { env, clock } = context;
  const before = fromMillis(toMillis(clock()) - OVERDUE_MS);
  const overdue = await connectorsOverdue(context, { before, limit: WOKEN_MAX });
  const results = await settleAll(overdue, {
    limits: LANES,
    keyOf: (reference) => reference,
    run: (reference) => reachObject(objectAt(env, env.CONNECTORS, reference).move(), TO_CONNECTOR),
  });
  for (const { item: connector, error } of results) {
    if (error !== undefined) logError("a connector could not be woken", error, { connector });
  }
  const isMore = await applyAllPaymentUpdates(context);
  const nowMs = toMillis(clock());
  if (isMore) return nowMs;
  const dueMs = await nextOfAllMs(context);
  return dueMs === undefined ? undefined : Math.max(dueMs + OVERDUE_MS, nowMs + WOKEN_MS);
}
