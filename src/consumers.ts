import { z } from "zod";
import { LedgerService } from "./modules/ledger/index.ts";
import { type Subscriptions, WebhookService } from "./modules/webhooks/index.ts";
import type { PlatformEvent } from "./platform/events/envelope.ts";
import type { DeliveryMessage, EventsMessage } from "./platform/events/messages.ts";
import { log, logError } from "./platform/log.ts";

/** Where events of ledgers are read, and confirmed once whatever they cause is stored. */
export interface EventSource {
  /** Returns a part of the range when it is large; `to` says how far it got. */
  readEvents(
    ledger: string,
    from: number,
    to: number,
  ): Promise<{ events: PlatformEvent[]; to: number }>;
  confirmEvents(ledger: string, to: number): Promise<void>;
}

type EventSink = Pick<WebhookService, "listSubscriptions" | "fanOut">;

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
      return consumeEvents(batch, { source: LedgerService.from(env), webhooks });
    case "florin-deliveries":
      return consumeDeliveries(batch, webhooks);
    default:
      throw new Error(`no consumer for the queue ${batch.queue}`);
  }
}

/** Turns new events into deliveries. A ledger that cannot be read does not hold back the others. */
export async function consumeEvents(
  batch: MessageBatch,
  { source, webhooks }: { source: EventSource; webhooks: EventSink },
): Promise<void> {
  const received = parseMessages(batch, EventsSchema);
  if (received.length === 0) return;
  const reading = webhooks.listSubscriptions();
  for (const [ledger, messages] of Map.groupBy(received, ({ body }) => body.ledger)) {
    await acknowledgeAfter(messages, async () => {
      const subscriptions = await reading;
      for (const range of mergeRanges(messages.map(({ body }) => body))) {
        await consumeRange({ ledger, ...range }, { source, webhooks, subscriptions });
      }
    });
  }
}

/** Confirms each part of a range when its deliveries are stored. What nobody wants is confirmed unread. */
async function consumeRange(
  { ledger, from, to }: EventsMessage,
  { source, webhooks, subscriptions }: FanOutOptions,
): Promise<void> {
  if (subscriptions.size === 0) return source.confirmEvents(ledger, to);
  let next = from;
  while (next <= to) {
    const part = await source.readEvents(ledger, next, to);
    if (part.to < next) throw new Error(`ledger ${ledger} gave no events from ${next} on`);
    await webhooks.fanOut(part.events, subscriptions);
    await source.confirmEvents(ledger, part.to);
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
      message.retry({ delaySeconds: retryDelaySeconds(message.attempts) });
    }
  }
}

/** Longest wait before a message is sent again, in seconds. */
const RETRY_DELAY_SECONDS_MAX = 300;

/** One second after the first attempt, then twice as long each time. */
const retryDelaySeconds = (attempts: number): number =>
  Math.min(2 ** (attempts - 1), RETRY_DELAY_SECONDS_MAX);

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
