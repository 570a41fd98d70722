import { z } from "zod";
import { LedgerService, PipelineService } from "#modules/ledger/index.ts";
import { type Subscriptions, WebhookService } from "#modules/webhooks/index.ts";
import { present } from "#platform/assert.ts";
import { AppError } from "#platform/errors.ts";
import type { PlatformEvent } from "#platform/events/envelope.ts";
import type { DeliveryMessage, EventsMessage, EventsOrigin } from "#platform/events/messages.ts";
import { log, logError } from "#platform/log.ts";
import { doubling, waitAfterFailures } from "#platform/work/backoff.ts";

/**
 * Where events of ledgers are read, and confirmed once whatever they cause is stored. Throws `LEDGER_NOT_FOUND` for a
 * ledger that was purged.
 */
export interface EventSource {
  /** Returns a part of the range when it is large; `to` says how far it got. */
  readEvents(
    origin: EventsOrigin,
    from: number,
    to: number,
  ): Promise<{ events: PlatformEvent[]; to: number }>;
  confirmEvents(origin: EventsOrigin, to: number): Promise<void>;
}

type EventSink = Pick<WebhookService, "listSubscriptions" | "fanOut">;

/** Who else wants to know of new log entries: it reads them itself. */
export type EntriesListener = Pick<PipelineService, "wake">;

interface FanOutOptions {
  readonly source: EventSource;
  readonly webhooks: EventSink;
  readonly subscriptions: Subscriptions;
}

/** The handler of both queues. */
export async function consume(batch: MessageBatch, env: Env): Promise<void> {
  const webhooks = WebhookService.from(env);
  switch (batch.queue) {
    case "florin-events":
      return consumeEvents(batch, {
        source: LedgerService.from(env),
        webhooks,
        pipelines: PipelineService.from(env),
      });
    case "florin-deliveries":
      return consumeDeliveries(batch, webhooks);
    default:
      throw new Error(`no consumer for the queue ${batch.queue}`);
  }
}

/**
 * Turns new events into deliveries, and wakes the pipelines before it confirms them. A ledger that cannot be read does not
 * hold back the others.
 */
export async function consumeEvents(
  batch: MessageBatch,
  {
    source,
    webhooks,
    pipelines,
  }: { source: EventSource; webhooks: EventSink; pipelines?: EntriesListener },
): Promise<void> {
  const received = parseMessages(batch, EventsSchema);
  if (received.length === 0) return;
  const preparing = Promise.all([
    webhooks.listSubscriptions(),
    pipelines?.wake(lastLogIds(received.map(({ body }) => body))),
  ]);
  for (const messages of Map.groupBy(received, ({ body }) => toKey(body)).values()) {
    await acknowledgeAfter(messages, async () => {
      const [subscriptions] = await preparing;
      const { ledger, uuid } = present(messages[0], "a group has a message").body;
      for (const range of mergeRanges(messages.map(({ body }) => body))) {
        await consumeRange({ ledger, uuid, ...range }, { source, webhooks, subscriptions });
      }
    });
  }
}

/** The last new entry of each ledger. */
function lastLogIds(messages: readonly EventsMessage[]): ReadonlyMap<string, number> {
  const last = new Map<string, number>();
  for (const { ledger, to } of messages) last.set(ledger, Math.max(to, last.get(ledger) ?? 0));
  return last;
}

const toKey = ({ ledger, uuid = "" }: EventsOrigin): string => `${ledger} ${uuid}`;

/** Consumes the events of a range. Of a ledger that was purged meanwhile, there are none. */
async function consumeRange(range: EventsMessage, options: FanOutOptions): Promise<void> {
  try {
    await consumeParts(range, options);
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== "LEDGER_NOT_FOUND") throw error;
    log("warn", "events of an unknown ledger dropped", { ledger: range.ledger });
  }
}

/** Confirms each part of a range when its deliveries are stored. What nobody wants is confirmed unread. */
async function consumeParts(
  { from, to, ...origin }: EventsMessage,
  { source, webhooks, subscriptions }: FanOutOptions,
): Promise<void> {
  if (subscriptions.size === 0) return source.confirmEvents(origin, to);
  let next = from;
  while (next <= to) {
    const part = await source.readEvents(origin, next, to);
    if (part.to < next) throw new Error(`ledger ${origin.ledger} gave no events from ${next} on`);
    await webhooks.fanOut(part.events, subscriptions);
    await source.confirmEvents(origin, part.to);
    next = part.to + 1;
  }
}

/** Makes the attempts that are due. A delivery that is not due, or is taken already, is left alone. */
export async function consumeDeliveries(
  batch: MessageBatch,
  webhooks: Pick<WebhookService, "deliver">,
): Promise<void> {
  const messages = parseMessages(batch, DeliverySchema);
  const ids = new Set(messages.map(({ body }) => body.deliveryId));
  await acknowledgeAfter(messages, () => webhooks.deliver([...ids]));
}

const LogId = z.int().min(0);
const EventsSchema: z.ZodType<EventsMessage> = z.object({
  ledger: z.string().min(1),
  uuid: z.string().optional(),
  from: LogId,
  to: LogId,
});
const DeliverySchema: z.ZodType<DeliveryMessage> = z.object({ deliveryId: z.string().min(1) });

interface Received<T> {
  readonly message: Message;
  readonly body: T;
}

/** The messages of a batch that are well formed. The others are acknowledged: no repetition would make them better. */
function parseMessages<T>(batch: MessageBatch, schema: z.ZodType<T>): Received<T>[] {
  const received: Received<T>[] = [];
  for (const message of batch.messages) {
    const parsed = schema.safeParse(message.body);
    if (parsed.success) {
      received.push({ message, body: parsed.data });
    } else {
      log("error", "malformed message dropped", { queue: batch.queue, messageId: message.id });
      message.ack();
    }
  }
  return received;
}

/** Acknowledges messages when the work that they ask for is done, and has them sent again when it failed. */
async function acknowledgeAfter(
  received: readonly Received<unknown>[],
  work: () => Promise<void>,
): Promise<void> {
  if (received.length === 0) return;
  try {
    await work();
    for (const { message } of received) message.ack();
  } catch (error) {
    logError("messages could not be handled", error, { count: received.length });
    for (const { message } of received) {
      const waitMs = waitAfterFailures(MESSAGE_BACKOFF, message.attempts);
      message.retry({ delaySeconds: Math.ceil(waitMs / 1000) });
    }
  }
}

/** When a message is sent again. */
const MESSAGE_BACKOFF = doubling(1000, 300_000);

/** Joins ranges that overlap or touch, in ascending order. */
function mergeRanges(
  ranges: readonly { from: number; to: number }[],
): { from: number; to: number }[] {
  const merged: { from: number; to: number }[] = [];
  for (const { from, to } of ranges.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last.to + 1) last.to = Math.max(last.to, to);
    else merged.push({ from, to });
  }
  return merged;
}
