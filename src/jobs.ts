import { readOwnApiOf } from "./app.ts";
import { MODULES } from "./modules.ts";
import { systemContext } from "#platform/context.ts";
import {
  DEAD_QUEUES,
  deadQueueOf,
  EVENTS_QUEUE,
  keepDeadLetters,
  TRIGGERS_QUEUE,
  waitInQueue,
} from "#platform/dead-letters/given-up.ts";
import { consumeEvents, type EventRoutes } from "#platform/events/consumer.ts";
import { registerListeners } from "#platform/events/listeners.ts";
import { outboxSource } from "#platform/events/outbox-source.ts";
import type { QueueConsumers } from "#platform/modules/module.ts";
import { Cause, runCaused } from "#platform/tracing/cause.ts";
import { isGivenBack } from "#platform/upgrade/put-off.ts";

/** Passes a batch of messages to the consumer of its queue. */
export async function consume(batch: MessageBatch, env: Env): Promise<void> {
  const queue = standardName(batch.queue);
  const consumer = CONSUMERS.get(queue);
  if (consumer === undefined) throw new Error(`no consumer for the queue ${batch.queue}`);
  // A queue of dead letters gives up, too, after a number of deliveries.
  const waitMs = DEAD_QUEUES.has(queue) ? waitInQueue : undefined;
  if (await isGivenBack(batch, env, waitMs)) return;
  const context = systemContext(env, `queue:${queue}`);
  const cause = Cause.ofJob(context.requestId);
  await runCaused(cause, () => consumer(batch, { ...context, readOwnApi: readOwnApiOf(env) }));
}

/** The name of a queue in wrangler.toml. In a deployment of another name, it begins with that name: `shop-events` for `florin-events`. */
const standardName = (queue: string): string =>
  [...CONSUMERS.keys()].find((name) => queue.endsWith(name.slice(NAME.length))) ?? queue;

const NAME = "florin";

const ROUTES: EventRoutes = {
  sources: [
    outboxSource,
    ...MODULES.flatMap(({ eventSource }) => (eventSource === undefined ? [] : [eventSource])),
  ],
  listeners: MODULES.flatMap(({ eventListener }) =>
    eventListener === undefined ? [] : [eventListener],
  ),
};

registerListeners(ROUTES.listeners);

const CONSUMERS = new Map<string, QueueConsumers[string]>([
  [EVENTS_QUEUE, (batch, context) => consumeEvents(batch, context, ROUTES)],
  ...([EVENTS_QUEUE, TRIGGERS_QUEUE] as const).map((queue): [string, QueueConsumers[string]] => [
    deadQueueOf(queue),
    (batch, context) => keepDeadLetters(batch, { ...context, queue }),
  ]),
  ...MODULES.flatMap(({ queues = {} }) => Object.entries(queues)),
]);
