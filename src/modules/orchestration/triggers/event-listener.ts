import { announceOccurrences } from "./firing/announce.ts";
import { matchEvents } from "./match.ts";
import { storeOccurrences } from "./occurrences.ts";
import { hasTriggers, triggersFor } from "./store.ts";
import type { ServiceContext } from "#platform/context.ts";
import type { PlatformEvent } from "#platform/events/envelope.ts";
import type { EventListener } from "#platform/events/source.ts";

/**
 * Decides for which events triggers fire, and stores that as occurrences; those are fired by the consumer of a queue, so that a
 * link that hangs holds up no other consumer of events. **A trigger fires once for an event, whatever is killed when:**
 *
 * | A kill after | leaves | and then |
 * | --- | --- | --- |
 * | events are read | nothing stored | The producer publishes the events again. |
 * | occurrences are stored | occurrences that are due | The events come again, and their occurrences are there already. The sweep announces these. |
 * | their messages are sent | the same | The same. |
 * | variables are evaluated | a lease | The lease ends, and the sweep announces the occurrence. |
 * | the instance is started | the instance, and the same | The occurrence is the instance's idempotency key: there is only one. |
 * | the end is stored with its event | the result | A message that comes again finds nothing to do. |
 */
export const triggerListener: EventListener = {
  open: async (_messages, context) =>
    (await hasTriggers(context)) ? (events) => occur(context, events) : undefined,
};

/** Triggers don't fire for what orchestration itself does, so that none fires itself for ever. */
const OWN_EVENTS = "orchestration";

async function occur(context: ServiceContext, events: readonly PlatformEvent[]): Promise<void> {
  const foreign = events.filter(({ app }) => app !== OWN_EVENTS);
  const types = [...new Set(foreign.map(({ type }) => type))];
  if (types.length === 0) return;
  const triggers = await triggersFor(context, types);
  if (triggers.length === 0) return;
  const matches = matchEvents(triggers, foreign, context.clock());
  if (matches.length === 0) return;
  await announceOccurrences(context.env, await storeOccurrences(context, matches));
}
