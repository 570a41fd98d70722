import { z } from "zod";
import type { EventsMessage } from "./messages.ts";
import { acknowledgeAfter, parseMessages } from "./queue.ts";
import type { EventListener, EventSink, EventSource } from "./source.ts";
import { present } from "#platform/assert.ts";
import type { ServiceContext } from "#platform/context.ts";
import { EVENTS_QUEUE, keepMalformed, noteRefused } from "#platform/dead-letters/given-up.ts";
import { Lanes } from "#platform/work/lanes.ts";

/** The sources of events, and their listeners. */
export interface EventRoutes {
  readonly sources: readonly EventSource[];
  readonly listeners: readonly EventListener[];
}

/**
 * Keys that are handled at once, and the longest time for each, in milliseconds. After a timeout, confirmed events stay confirmed, and the
 * messages come again for the other events.
 */
const KEY_LANES = { total: 6, perKey: 1, timeoutMs: 60_000 };

/**
 * Delivers the events of messages to all listeners, and confirms the events that all listeners have accepted. Neither a malformed message,
 * which becomes a dead letter, nor a key whose source fails or hangs holds back other messages.
 */
export async function consumeEvents(
  batch: MessageBatch,
  context: ServiceContext,
  { sources, listeners }: EventRoutes,
): Promise<void> {
  const malformed: Message[] = [];
  const schema = z.union(sources.map((source) => source.schema));
  const received = parseMessages(batch, schema, (message) => malformed.push(message));
  const letters = { ...context, queue: EVENTS_QUEUE } as const;
  const keeping = keepMalformed(malformed, letters);
  if (received.length === 0) return keeping;
  const messages = received.map(({ body }) => body);
  const opening = Promise.all(listeners.map((listener) => listener.open(messages, context)));
  const sourceOf = (message: EventsMessage): EventSource =>
    present(
      sources.find(({ name }) => name === message.source),
      "a message of no source is malformed",
    );
  const keyOf = (message: EventsMessage): string =>
    `${message.source} ${sourceOf(message).keyOf(message)}`;
  const groups = Map.groupBy(received, ({ body }) => keyOf(body));
  const lanes = new Lanes({ ...KEY_LANES, waiting: groups.size });
  const consumeKey = async (bodies: readonly EventsMessage[], signal: AbortSignal) => {
    const sink = joined(await opening);
    const source = sourceOf(present(bodies[0], "a group has a message"));
    for (const message of source.merge(bodies)) {
      if (sink === undefined) await source.confirm(message, context);
      else await source.deliver(message, { sink, context, signal });
    }
  };
  const note = (failed: readonly Message[], error: unknown) => noteRefused(failed, error, letters);
  await Promise.all([
    keeping,
    ...[...groups].map(([key, group]) => {
      const bodies = group.map(({ body }) => body);
      const run = (signal: AbortSignal) => consumeKey(bodies, signal);
      return acknowledgeAfter(group, () => lanes.run({ key, run }), note);
    }),
  ]);
}

/** One sink for all sinks, which resolves when all have taken the events; undefined if there are none. */
function joined(sinks: readonly (EventSink | undefined)[]): EventSink | undefined {
  const wanting = sinks.filter((sink) => sink !== undefined);
  if (wanting.length === 0) return undefined;
  const all: EventSink = async (events, message) => {
    for (const sink of wanting) await sink(events, message);
  };
  return Object.assign(all, { isBare: wanting.every(({ isBare = false }) => isBare) });
}
