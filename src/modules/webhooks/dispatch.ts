import { callEndpoint, type WebhookCall } from "./call.ts";
import type { DeliveryTarget } from "./config-store.ts";
import type { WebhookContext } from "./context.ts";
import type { ClaimedDelivery, Settlement } from "./core/delivery.ts";
import { isExhausted, judge } from "./core/retry.ts";
import { GroupWriter } from "./group-writer.ts";
import { runFairly } from "./lanes.ts";
import { logError } from "#platform/log.ts";
import { fromMillis, toMillis } from "#platform/time.ts";

/** Calls under way at once: the platform lets an invocation wait for so many answers and holds back any more. */
const CALLS_AT_ONCE_MAX = 6;
/** How long a batch starts calls. Endpoints that hang would otherwise keep it busy beyond the life of its claims. */
const STARTS_WITHIN_MS = 10_000;
/** How long a result waits for others to be stored with. */
const SETTLE_LINGER_MS = 25;

/** Makes an attempt of each delivery that is due, and stores what came of it. */
export async function dispatch(ids: readonly string[], context: WebhookContext): Promise<void> {
  const claimedAt = context.clock();
  const startsUntilMs = toMillis(claimedAt) + STARTS_WITHIN_MS;
  const claimed = await context.deliveries.claim(ids, claimedAt);
  if (claimed.length === 0) return;
  const configIds = [...new Set(claimed.map(({ configId }) => configId))];
  const targets = await context.configs.listTargets(configIds);
  const writer = new GroupWriter<Settlement>({
    write: (settlements) => settle(settlements, context),
    onFailure: (error, { length }) =>
      logError("deliveries could not be settled", error, { count: length }),
    lingerMs: SETTLE_LINGER_MS,
  });
  const left = await runFairly(claimed, {
    lanes: CALLS_AT_ONCE_MAX,
    keyOf: ({ configId }) => configId,
    mayStart: () => toMillis(context.clock()) < startsUntilMs,
    run: async (delivery) => {
      const settlement = await attempt(delivery, targets.get(delivery.configId), context);
      if (settlement !== undefined) writer.add(settlement);
    },
  });
  const nextAttemptAt = context.clock();
  for (const delivery of left) writer.add({ delivery, status: "pending", nextAttemptAt });
  await writer.end();
}

/** Makes one attempt. Without a result the claim is left to expire, and the sweep plans the delivery again. */
async function attempt(
  delivery: ClaimedDelivery,
  target: DeliveryTarget | undefined,
  context: WebhookContext,
): Promise<Settlement | undefined> {
  try {
    if (target === undefined) return { delivery, status: "cancelled" };
    const cycleStartedMs = toMillis(delivery.cycleStartedAt);
    const { attemptCount } = delivery;
    const nowMs = toMillis(context.clock());
    if (isExhausted({ attemptCount, cycleStartedMs }, nowMs, context.retries)) {
      return { delivery, status: "failed", error: "max attempts reached" };
    }
    const body = delivery.payload ?? (await context.deliveries.readPayload(delivery.id));
    if (body === undefined) return undefined; // The delivery was removed meanwhile.
    const { id, idempotencyKey } = delivery;
    return await call({ target, id, body, idempotencyKey, isTest: false }, delivery, context);
  } catch (error) {
    logError("a delivery could not be attempted", error, { delivery: delivery.id });
    return undefined;
  }
}

async function call(
  request: WebhookCall,
  delivery: ClaimedDelivery,
  { calls, retries }: WebhookContext,
): Promise<Settlement> {
  const { respondedAt, retryAfterMs, ...result } = await callEndpoint(request, calls);
  const verdict = judge(
    {
      index: delivery.attemptCount,
      statusCode: result.statusCode,
      cycleStartedMs: toMillis(delivery.cycleStartedAt),
      respondedMs: toMillis(respondedAt),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    },
    retries,
  );
  const { endpoint } = request.target;
  const made = { ...result, endpoint, outcome: verdict.outcome, createdAt: respondedAt };
  return verdict.status === "pending"
    ? {
        delivery,
        attempt: made,
        status: "pending",
        nextAttemptAt: fromMillis(verdict.nextAttemptMs),
      }
    : { delivery, attempt: made, status: verdict.status };
}

/** Stores results. The clock is armed first: from the moment at which a retry is stored, something will look after it. */
async function settle(
  settlements: readonly Settlement[],
  { deliveries, schedule, clock }: WebhookContext,
): Promise<void> {
  const dueTimes = settlements
    .filter((settlement) => settlement.status === "pending")
    .map(({ nextAttemptAt }) => nextAttemptAt)
    .toSorted();
  const [earliest] = dueTimes;
  if (earliest !== undefined) await schedule.arm(earliest);
  await schedule.announce(await deliveries.settle(settlements, clock()));
}
