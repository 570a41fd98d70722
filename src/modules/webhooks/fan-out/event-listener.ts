import { LanesBehind } from "./lanes-behind.ts";
import { type OwedBatch, OwedBatches } from "./owed-batches.ts";
import { withoutBodies } from "./without-bodies.ts";
import { keepUntilMsOf } from "#modules/webhooks/bodies/payload-purge.ts";
import { PayloadStore } from "#modules/webhooks/bodies/payload-store.ts";
import { toPayload } from "#modules/webhooks/calls/payload.ts";
import { endpointOf, TO_ENDPOINT } from "#modules/webhooks/configs/endpoints.ts";
import { LaneSpecs, type Subscription } from "#modules/webhooks/configs/lane-specs.ts";
import type { EventBatch, EventOrigin, OwedEvent } from "#modules/webhooks/core/lane.ts";
import { webhookSettings } from "#modules/webhooks/settings.ts";
import type { ServiceContext } from "#platform/context.ts";
import { eventName, type PlatformEvent } from "#platform/events/envelope.ts";
import type { EventsMessage } from "#platform/events/messages.ts";
import type { EventListener, EventSink } from "#platform/events/source.ts";
import { logError } from "#platform/log.ts";
import { memoByEnv } from "#platform/memo.ts";
import { reachObject } from "#platform/objects/call.ts";
import { objectsAtOnce } from "#platform/objects/side-by-side.ts";
import { toMillis } from "#platform/time.ts";
import { settleAll } from "#platform/work/lanes.ts";
import { takeTurns } from "#platform/work/turns.ts";

/** How many objects of endpoints are called at once for one message, and how long each may take, in milliseconds. */
const CALLS = { total: 24, perKey: 1, timeoutMs: 10_000 };
/** Most entries of a message that is passed on with bodies. */
const BODIES_MAX = 500;

/** The lanes of a deployment that are behind. */
const lanesBehindOf = memoByEnv((_env: Env) => new LanesBehind());

/**
 * Gives events to the lanes of all configs that subscribe to them.
 *
 *     message ─► events that a config wants ─┬─ of the outbox: bodies ─► D1 (webhook_payloads), once for all lanes
 *                                            ▼
 *                   a batch for each config, with bodies or, for events of a ledger, without
 *                      │                  │                   │
 *                    lane A             lane B              lane C fails
 *                    stores it          stores it             └─► D1 (webhook_owed), without bodies ─► sweep ─► lane C
 *                      └──────────────────┴───────────────────┴─► the message is confirmed
 *
 * The message is confirmed when each batch is stored, in its lane or in D1. A message that comes twice does no harm, because a lane
 * recognises the events that it has.
 */
export const webhookListener: EventListener = {
  wants: async ({ name }, { env }) => {
    const subscriptions = await LaneSpecs.from(env).listSubscriptions();
    return subscriptions.some(({ eventTypes }) => eventTypes.has(name));
  },
  open: async (messages, context) => {
    const subscriptions = await LaneSpecs.from(context.env).listSubscriptions();
    if (subscriptions.length === 0) return undefined;
    const behind = lanesBehindOf(context.env);
    const isBare =
      messages.length > 0 &&
      messages.every(isOfLedger) &&
      (messages.some(isLarge) || subscriptions.every(({ spec }) => behind.has(spec.configId)));
    const sink: EventSink = (events, message) =>
      fanOut({ events, message, subscriptions, isBare, context });
    return Object.assign(sink, { isBare });
  },
};

/** Only events of a ledger can be read again from a log. Bodies of other events have to be written and stored. */
const isOfLedger = ({ source }: EventsMessage): boolean => source === "ledger";

/** Lanes keep no bodies of so many events; they read them from the log when needed. */
const isLarge = (message: EventsMessage): boolean =>
  message.source === "ledger" && message.to - message.from >= BODIES_MAX;

interface FanOut {
  readonly events: readonly PlatformEvent[];
  readonly message: EventsMessage;
  readonly subscriptions: readonly Subscription[];
  /** Whether batches go without bodies. The events may then have no payload. */
  readonly isBare: boolean;
  readonly context: ServiceContext;
}

async function fanOut({ events, message, subscriptions, isBare, context }: FanOut): Promise<void> {
  const wanted = new Set(subscriptions.flatMap(({ eventTypes }) => [...eventTypes]));
  const owed = events
    .filter((event) => wanted.has(eventName(event)))
    .map((event) => toOwed(event, message, isBare));
  if (owed.length === 0) return;
  if (message.source === "outbox") {
    const bodies = new Map(owed.map(({ position, body }) => [String(position), body ?? ""]));
    const nowMs = toMillis(context.clock());
    const keepUntilMs = keepUntilMsOf(webhookSettings.of(context.env), nowMs);
    await PayloadStore.from(context.env).insert(bodies, { nowMs, keepUntilMs });
  }
  const batches = subscriptions.map(({ spec, eventTypes }) => ({
    spec,
    batch: {
      ...whereFrom(message),
      events: owed.filter(({ eventType }) => eventTypes.has(eventType)),
    },
  }));
  const results = await settleAll(
    batches.filter(({ batch }) => batch.events.length > 0),
    {
      limits: { ...CALLS, total: objectsAtOnce(context.env, CALLS.total) },
      keyOf: ({ spec }) => spec.configId,
      run: (batch) => give(batch, { isBare, env: context.env }),
    },
  );
  const failed = results.filter(({ error }) => error !== undefined);
  if (failed.length === 0) return;
  logError("endpoints did not take events; the sweep offers the events again", failed[0]?.error, {
    count: failed.length,
  });
  await new OwedBatches(context).add(failed.map(({ item }) => item));
}

function toOwed(event: PlatformEvent, message: EventsMessage, isBare: boolean): OwedEvent {
  const position =
    message.source === "ledger" ? Number(event.id.slice(message.uuid.length + 1)) : event.id;
  const { idempotencyKey, cause } = event;
  const body = isBare ? undefined : toPayload(event);
  return { position, eventType: eventName(event), idempotencyKey, body, cause };
}

async function give(
  { spec, batch }: OwedBatch,
  { isBare, env }: { isBare: boolean; env: Env },
): Promise<void> {
  await takeTurns();
  const { configId } = spec;
  const lane = endpointOf(env, configId);
  const behind = lanesBehindOf(env);
  const sent = isBare || behind.has(configId) ? withoutBodies(batch) : batch;
  const keepsUp = await reachObject(lane.accept(sent, spec), TO_ENDPOINT);
  if (keepsUp) behind.delete(configId);
  else behind.add(configId);
}

function whereFrom(message: EventsMessage): Pick<EventBatch, "origin" | "range"> {
  if (message.source === "outbox") return { origin: { source: "outbox" } };
  const { ledger, uuid, from, to } = message;
  const origin: EventOrigin = { source: "ledger", ledger, uuid };
  return { origin, range: { first: from, last: to } };
}
