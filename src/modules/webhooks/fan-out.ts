import type { WebhookContext } from "./context.ts";
import type { NewDelivery } from "./core/delivery.ts";
import { toPayload } from "./payload.ts";
import { eventName, type PlatformEvent } from "#platform/events/envelope.ts";
import { newId } from "#platform/ids.ts";

/** Ids of the active configs that want an event, by its name. */
export type Subscriptions = ReadonlyMap<string, readonly string[]>;

export async function listSubscriptions({ configs }: WebhookContext): Promise<Subscriptions> {
  const subscriptions = new Map<string, string[]>();
  for (const { configId, eventTypes } of await configs.listSubscriptions()) {
    for (const eventType of new Set(eventTypes)) {
      const subscribers = subscriptions.get(eventType) ?? [];
      subscriptions.set(eventType, [...subscribers, configId]);
    }
  }
  return subscriptions;
}

/** Stores a delivery for each event and config that match, and plans it. Events that come again change nothing. */
export async function fanOut(
  events: readonly PlatformEvent[],
  subscriptions: Subscriptions,
  { deliveries, schedule, clock }: WebhookContext,
): Promise<void> {
  const matched = events.flatMap((event) => match(event, subscriptions));
  if (matched.length === 0) return;
  const now = clock();
  const ids = await deliveries.insert(matched, now);
  // Also when nothing was new: whoever stored these deliveries may have been killed before this line.
  await schedule.arm(now);
  await schedule.announce(ids.map((id) => ({ id, nextAttemptAt: now })));
}

function match(event: PlatformEvent, subscriptions: Subscriptions): NewDelivery[] {
  const eventType = eventName(event);
  const configIds = subscriptions.get(eventType);
  if (configIds === undefined) return [];
  const { id: eventId, idempotencyKey } = event;
  const payload = toPayload(event);
  return configIds.map((configId) => ({
    id: newId(),
    configId,
    eventId,
    eventType,
    idempotencyKey,
    payload,
  }));
}
