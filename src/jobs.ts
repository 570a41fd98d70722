import { readOwnApiOf } from "./app.ts";
import { MODULES } from "./modules.ts";
import { systemContext } from "#platform/context.ts";
import {
  DEAD_QUEUE,
  EVENTS_QUEUE,
  keepDeadLetters,
  waitInQueue,
} from "#platform/dead-letters/given-up.ts";
import { consumeEvents, type EventRoutes } from "#platform/events/consumer.ts";
import { registerListeners } from "#platform/events/listeners.ts";
import { outboxSource } from "#platform/events/outbox-source.ts";
import type { QueueConsumers } from "#platform/modules/module.ts";
import { isGivenBack } from "#platform/upgrade/put-off.ts";

/** Passes a batch of messages to the consumer of its queue. */
export async function consume(batch: MessageBatch, env: Env): Promise<void> {
  const consumer = CONSUMERS.get(batch.queue);
  if (consumer === undefined) throw new Error(`no consumer for the queue ${batch.queue}`);
  // The queue of dead letters gives up, too, after a number of deliveries.
  const waitMs = batch.queue === DEAD_QUEUE ? waitInQueue : undefined;
  if (await isGivenBack(batch, env, waitMs)) return;
  const context = systemContext(env, `queue:${batch.queue}`);
  await consumer(batch, { ...context, readOwnApi: readOwnApiOf(env) });
}

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
  [DEAD_QUEUE, keepDeadLetters],
  ...MODULES.flatMap(({ queues = {} }) => Object.entries(queues)),
]);
