import { z } from "zod";
import type { EventsMessage } from "./messages.ts";
import { acknowledgeAfter, parseMessages } from "./queue.ts";
import type { EventListener, EventSink, EventSource } from "./source.ts";
import { present } from "#platform/assert.ts";
import type { ServiceContext } from "#platform/context.ts";
import { log } from "#platform/log.ts";

/** The sources of events, and their listeners. */
export interface EventRoutes {
  readonly sources: readonly EventSource[];
  readonly listeners: readonly EventListener[];
}

/**
 * Delivers the events of messages to all listeners, and confirms the events that all have accepted. A message that
 * cannot be read does not hold back the others.
 */
export async function consumeEvents(
  batch: MessageBatch,
  context: ServiceContext,
  { sources, listeners }: EventRoutes,
): Promise<void> {
  const received = parseMessages(batch, z.union(sources.map(({ schema }) => schema)));
  if (received.length === 0) return;
  const messages = received.map(({ body }) => body);
  const opening = Promise.all(listeners.map((listener) => listener.open(messages, context)));
  const sourceOf = (message: EventsMessage): EventSource =>
    present(
      sources.find(({ name }) => name === message.source),
      "a message of no source is malformed",
    );
  const keyOf = (message: EventsMessage): string =>
    `${message.source} ${sourceOf(message).keyOf(message)}`;
  for (const group of Map.groupBy(received, ({ body }) => keyOf(body)).values()) {
    await acknowledgeAfter(group, async () => {
      const sinks = (await opening).filter((sink) => sink !== undefined);
      const source = sourceOf(present(group[0], "a group has a message").body);
      for (const message of source.merge(group.map(({ body }) => body))) {
        await consumeAll(message, { source, sinks, context });
      }
    });
  }
}

interface OpenRoute {
  readonly source: EventSource;
  readonly sinks: readonly EventSink[];
  readonly context: ServiceContext;
}

/**
 * Confirms each part of a message once all listeners have accepted it. A message that no listener wants is confirmed
 * without being read.
 */
async function consumeAll(
  message: EventsMessage,
  { source, sinks, context }: OpenRoute,
): Promise<void> {
  if (sinks.length === 0) return source.confirm(message, context);
  let next: EventsMessage | undefined = message;
  while (next !== undefined) {
    const part: Awaited<ReturnType<EventSource["read"]>> = await source.read(next, context);
    if (part === undefined) {
      const { name } = source;
      log("warn", "events that no longer exist were dropped", {
        source: name,
        key: source.keyOf(next),
      });
      return;
    }
    if (part.events.length > 0) for (const sink of sinks) await sink(part.events);
    await source.confirm(part.read, context);
    next = part.rest;
  }
}
