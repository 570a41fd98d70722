import { announceOccurrences } from "./announce.ts";
import { enqueueInLane } from "./lane/lanes.ts";
import { currentTriggers, type TriggerCatalogue } from "./matching/catalogue.ts";
import { groupByOwner, type EventForLane, ownerOf, selectEvents } from "./matching/select.ts";
import { type Match, storeOccurrences } from "./occurrences.ts";
import type { ServiceContext } from "#platform/context.ts";
import type { PlatformEvent } from "#platform/events/envelope.ts";
import type { EventListener } from "#platform/events/source.ts";
import { logError } from "#platform/log.ts";

/**
 * Finds by an index the triggers that an event may fire, and stores occurrences, which the consumer of a queue fires. Filters that have to
 * be evaluated go to the lanes of the triggers' owners, so that neither a filter nor a link holds up another consumer of events:
 *
 *     event ─► index ─┬─ decides alone ──────────────────────────► occurrence `fire` ────┐
 *                     └─ filter is left                                                  │
 *                          └─► owner's lane ─┬─ filter is true ──► occurrence `fire` ────┤
 *                              (takes steps  ├─ is false ────────► nothing               │
 *                              of the budget)├─ fails ───────────► occurrence with the error, one an hour
 *                                            ├─ reads links ─────► occurrence `filter` ──┤
 *                                            └─ full, no answer ─► occurrence `filter` ──┤
 *                                                                                        ▼
 *     instance ◄─ variables ◄─ loop? ◄─ filter, if it is left ◄─ owner's rights ◄─ queue, or sweep
 *
 * Filters and variables outside of the lane take steps of the same budget. **A trigger fires once for an event, wherever a process is
 * killed:**
 *
 * | A kill after | leaves | and then |
 * | --- | --- | --- |
 * | events are read | nothing stored | The producer publishes the events again. |
 * | occurrences are stored | occurrences that are due | The events come again, and their occurrences are there already. The sweep announces these. |
 * | messages are sent | occurrences that are due | The events come again, and their occurrences are there already. The messages fire these. |
 * | variables are evaluated | a lease | The lease ends, and the sweep announces the occurrence. |
 * | the instance is started | the instance, and the lease | The occurrence is the instance's idempotency key: the next attempt finds the instance. |
 * | the end is stored with its event | the result | A message that comes again finds nothing to do. |
 */
export const triggerListener: EventListener = {
  wants: async ({ rawType }, context) =>
    (await currentTriggers(context)).indexOf(rawType) !== undefined,
  open: async (_messages, context) => {
    // Triggers are read after the messages have come, so that a trigger counts for each event that was announced after its creation.
    const triggers = await currentTriggers(context);
    return triggers.isEmpty ? undefined : (events) => occur(context, triggers, events);
  },
};

/** The app of orchestration's own events. No trigger fires for them, so that none fires itself for ever. */
const OWN_EVENTS = "orchestration";

async function occur(
  context: ServiceContext,
  triggers: TriggerCatalogue,
  events: readonly PlatformEvent[],
): Promise<void> {
  const foreign = events.filter(({ app }) => app !== OWN_EVENTS);
  const { matches, owed } = selectEvents(triggers, foreign);
  const refused = await giveToLanes(context, owed);
  const stored = [...matches, ...refused];
  if (stored.length === 0) return;
  await announceOccurrences(context.env, await storeOccurrences(context, stored));
}

/**
 * Gives events to the lanes of the triggers' owners. Returns the events of lanes that were full or could not be reached: D1 keeps them as
 * occurrences, whose filters are evaluated with the rest of the owner's budget, so that no other consumer waits.
 */
async function giveToLanes(
  { env }: ServiceContext,
  owed: readonly EventForLane[],
): Promise<Match[]> {
  const failed = new Set<string>();
  await Promise.all(
    [...groupByOwner(owed)].map(async ([owner, events]) => {
      try {
        if (!(await enqueueInLane(env, owner, events))) failed.add(owner);
      } catch (error) {
        logError("a lane of triggers took no events; the database keeps them", error, { owner });
        failed.add(owner);
      }
    }),
  );
  if (failed.size === 0) return [];
  return owed.flatMap(({ event, triggers }) =>
    triggers
      .filter((trigger) => failed.has(ownerOf(trigger)))
      .map((trigger) => ({ trigger, event, verdict: "unknown" as const })),
  );
}
