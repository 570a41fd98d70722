import { z } from "zod";
import { MODULES } from "./modules.ts";
import { PipelineService } from "#modules/exporters/index.ts";
import { LedgerService } from "#modules/ledger/index.ts";
import { type Subscriptions, WebhookService } from "#modules/webhooks/index.ts";
import { present } from "#platform/assert.ts";
import { systemContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import type { PlatformEvent } from "#platform/events/envelope.ts";
import type { EventsMessage, EventsOrigin } from "#platform/events/messages.ts";
import { acknowledgeAfter, parseMessages } from "#platform/events/queue.ts";
import { log } from "#platform/log.ts";
import type { QueueConsumers } from "#platform/modules/module.ts";

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

/** Gives a batch of messages to what consumes the queue. */
export async function consume(batch: MessageBatch, env: Env): Promise<void> {
  const consumer = CONSUMERS.get(batch.queue);
  if (consumer === undefined) throw new Error(`no consumer for the queue ${batch.queue}`);
  await consumer(batch, systemContext(env, `queue:${batch.queue}`));
}

const CONSUMERS = new Map<string, QueueConsumers[string]>([
  [
    "florin-events",
    (batch, context) =>
      consumeEvents(batch, {
        source: LedgerService.from(context),
        webhooks: WebhookService.from(context),
        pipelines: PipelineService.from(context),
      }),
  ],
  ...MODULES.flatMap(({ queues = {} }) => Object.entries(queues)),
]);

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

const LogId = z.int().min(0);
const EventsSchema: z.ZodType<EventsMessage> = z.object({
  ledger: z.string().min(1),
  uuid: z.string().optional(),
  from: LogId,
  to: LogId,
});

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
