import type { EventOrigin } from "./types.ts";
import { PayloadStore } from "#modules/webhooks/payload-store.ts";
import { toPayload } from "#modules/webhooks/payload.ts";
import type { ServiceContext } from "#platform/context.ts";
import type { LedgerMessage } from "#platform/events/messages.ts";
import { sourceNamed } from "#platform/events/sources.ts";

/** Entries between two wanted ones that are read along, as a further call costs more. */
const GAP_MAX = 20;

/**
 * The bodies of some events of one origin, in their order; undefined for one that is gone for good. Those of a ledger are
 * made from its log, which never changes. Throws where they cannot be read now.
 */
export async function readBodies(
  origin: EventOrigin,
  positions: readonly (number | string)[],
  context: ServiceContext,
): Promise<(string | undefined)[]> {
  if (origin.source === "outbox") {
    const bodies = await PayloadStore.from(context.env).read(positions.map(String));
    return positions.map((position) => bodies.get(String(position)));
  }
  const { ledger, uuid } = origin;
  const bodies = new Map<string, string>();
  for (const range of rangesOf(positions.map(Number))) {
    for (const [id, body] of await readRange(
      { source: "ledger", ledger, uuid, ...range },
      context,
    )) {
      bodies.set(id, body);
    }
  }
  return positions.map((position) => bodies.get(`${uuid}:${position}`));
}

/** Bodies by the ids of their events. Where the ledger is gone, there are none. */
async function readRange(
  message: LedgerMessage,
  context: ServiceContext,
): Promise<[string, string][]> {
  const events = (await sourceNamed(message.source).reread?.(message, context)) ?? [];
  return events.map((event) => [event.id, toPayload(event)]);
}

/** Few ranges that hold all positions. */
function rangesOf(positions: readonly number[]): { from: number; to: number }[] {
  const ranges: { from: number; to: number }[] = [];
  for (const position of positions.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last !== undefined && position - last.to <= GAP_MAX) last.to = position;
    else ranges.push({ from: position, to: position });
  }
  return ranges;
}
