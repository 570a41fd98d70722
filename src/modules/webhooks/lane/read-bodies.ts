import { PayloadStore } from "#modules/webhooks/bodies/payload-store.ts";
import { toWrittenPayload } from "#modules/webhooks/calls/payload.ts";
import type { EventOrigin } from "#modules/webhooks/core/lane.ts";
import type { ServiceContext } from "#platform/context.ts";
import type { WrittenEvent } from "#platform/events/envelope.ts";
import type { LedgerOrigin } from "#platform/events/messages.ts";
import { sourceNamed } from "#platform/events/sources.ts";
import { type Clock, toMillis } from "#platform/time.ts";

/** Where an event is in its origin: the id of its log entry, or its own id. */
type Position = number | string;
/** Bodies of events; undefined for one that is gone for good. Those that are not in it were not read. */
type Bodies = ReadonlyMap<Position, string | undefined>;

/** Entries between two wanted ones that are read along, as a further call costs more. */
const GAP_MAX = 20;
/** After so many characters, one call reads no further bodies: an object has little memory. */
const LENGTH_MAX = 8_000_000;
/** The same after this time, in milliseconds: a lane waits for five seconds, gets none of them then, and asks for as many again. */
const READ_ON_MS_MAX = 2000;
/** How many stored bodies one statement reads. Each may have two megabytes. */
const STORED_AT_ONCE = 4;

/**
 * Bodies of some events of one origin: at least one, and as many as fit into memory and can be read in time; the others are to be
 * asked for again. Those of a ledger are made from its log, which never changes. Throws where they cannot be read now.
 */
export function readBodies(
  origin: EventOrigin,
  positions: readonly Position[],
  context: ServiceContext,
): Promise<Bodies> {
  return origin.source === "outbox"
    ? readStored(positions, context)
    : readLog(origin, positions, context);
}

/** Bodies of all these events, in their order. */
export async function readAllBodies(
  origin: EventOrigin,
  positions: readonly Position[],
  context: ServiceContext,
): Promise<(string | undefined)[]> {
  const bodies = new Map<Position, string | undefined>();
  for (let rest = positions; rest.length > 0;) {
    for (const [position, body] of await readBodies(origin, rest, context)) {
      bodies.set(position, body);
    }
    rest = rest.filter((position) => !bodies.has(position));
  }
  return positions.map((position) => bodies.get(position));
}

async function readStored(
  positions: readonly Position[],
  { env, clock }: ServiceContext,
): Promise<Bodies> {
  const bodies = new Map<Position, string | undefined>();
  const limits = new ReadLimits(clock);
  for (let at = 0; at < positions.length && limits.areKept; at += STORED_AT_ONCE) {
    const some = positions.slice(at, at + STORED_AT_ONCE);
    const stored = await PayloadStore.from(env).read(some.map(String));
    for (const position of some) {
      const body = stored.get(String(position));
      bodies.set(position, body);
      limits.add(body);
    }
  }
  return bodies;
}

async function readLog(
  { ledger, uuid }: LedgerOrigin,
  positions: readonly Position[],
  context: ServiceContext,
): Promise<Bodies> {
  const wanted = new Map(positions.map((position) => [Number(position), position]));
  const bodies = new Map<Position, string | undefined>();
  const limits = new ReadLimits(context.clock);
  for (const range of rangesOf([...wanted.keys()])) {
    for (let from = range.from; from <= range.to;) {
      if (!limits.areKept) return bodies;
      const message = { source: "ledger", ledger, uuid, from, to: range.to } as const;
      const part = await sourceNamed(message.source).reread?.(message, context);
      if (part === undefined) return new Map(positions.map((position) => [position, undefined]));
      const events = new Map(part.events.map((event) => [positionOf(event, uuid), event]));
      for (const [id, position] of wanted) {
        if (id < from || id > part.to) continue;
        const body = toWrittenPayload(existing(events.get(id), id, ledger));
        bodies.set(position, body);
        limits.add(body);
      }
      from = part.to + 1;
    }
  }
  return bodies;
}

/** Whether one call may read further bodies. */
class ReadLimits {
  readonly #clock: Clock;
  readonly #endMs: number;
  #length = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#endMs = toMillis(clock()) + READ_ON_MS_MAX;
  }

  get areKept(): boolean {
    return this.#length < LENGTH_MAX && toMillis(this.#clock()) < this.#endMs;
  }

  /** A body was read. */
  add(body: string | undefined): void {
    this.#length += body?.length ?? 0;
  }
}

const positionOf = ({ id }: WrittenEvent, uuid: string): number =>
  Number(id.slice(uuid.length + 1));

/** No entry of a log is ever removed: where a ledger that exists does not give one, something is wrong, and the event is not gone. */
function existing(event: WrittenEvent | undefined, id: number, ledger: string): WrittenEvent {
  if (event === undefined) throw new Error(`ledger ${ledger} gave no entry ${id} of its log`);
  return event;
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
