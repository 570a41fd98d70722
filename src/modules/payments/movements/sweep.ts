import { execute, type OpenPlugin } from "./execute.ts";
import { claimMovements, nextMovementMs } from "./store.ts";
import { hearAllNews } from "#modules/payments/initiations/news.ts";
import type { ServiceContext } from "#platform/context.ts";
import { toMillis } from "#platform/time.ts";
import { settleAll } from "#platform/work/lanes.ts";

/** How many movements one sweep works on at once, and how many of one connector. */
const LANES = { total: 16, perKey: 4, timeoutMs: 45_000 };
/** How many it claims. What is left is due at once. */
const CLAIMS_MAX = 16;

/** Moves money that is due, and lets initiations hear of their payments. Returns when to do so again. */
export async function sweepInitiations(
  context: ServiceContext,
  openPlugin: OpenPlugin,
): Promise<number | undefined> {
  const movements = await claimMovements(context, CLAIMS_MAX);
  await settleAll(movements, {
    limits: LANES,
    keyOf: ({ connectorKey }) => String(connectorKey),
    run: (movement) => execute(context, openPlugin, movement),
  });
  const isMore = await hearAllNews(context);
  return isMore ? toMillis(context.clock()) : nextMovementMs(context);
}
