import { hearAllNews } from "./news.ts";
import { TO_CONNECTOR } from "./wake.ts";
import { connectorsOverdue, nextOfAllMs } from "#modules/payments/initiations/movement-rows.ts";
import type { ServiceContext } from "#platform/context.ts";
import { logError } from "#platform/log.ts";
import { reachObject } from "#platform/objects/call.ts";
import { fromMillis, toMillis } from "#platform/time.ts";
import { settleAll } from "#platform/work/lanes.ts";

/** How long after its time a movement counts as forgotten, in milliseconds: its object was not woken, or has lost its alarm. */
const OVERDUE_MS = 5000;
/** After which time an object that was woken, and has something overdue still, is woken again, in milliseconds. */
const WOKEN_MS = 15_000;
/** Most objects that one sweep wakes, and how. */
const WOKEN_MAX = 100;
const LANES = { total: 16, perKey: 1, timeoutMs: 10_000 };

/**
 * Wakes the objects of connectors that have money to move and have not been told, and lets initiations hear of their payments. Returns
 * when to do so again.
 */
export async function sweepInitiations(context: ServiceContext): Promise<number | undefined> {
  const { env, clock } = context;
  const before = fromMillis(toMillis(clock()) - OVERDUE_MS);
  const overdue = await connectorsOverdue(context, { before, limit: WOKEN_MAX });
  const results = await settleAll(overdue, {
    limits: LANES,
    keyOf: (reference) => reference,
    run: (reference) => reachObject(env.CONNECTORS.getByName(reference).move(), TO_CONNECTOR),
  });
  for (const { item: connector, error } of results) {
    if (error !== undefined) logError("a connector could not be woken", error, { connector });
  }
  const isMore = await hearAllNews(context);
  const nowMs = toMillis(clock());
  if (isMore) return nowMs;
  const dueMs = await nextOfAllMs(context);
  return dueMs === undefined ? undefined : Math.max(dueMs + OVERDUE_MS, nowMs + WOKEN_MS);
}
