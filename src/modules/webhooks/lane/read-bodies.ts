import { PayloadStore } from "#modules/webhooks/bodies/payload-store.ts";
import { toWrittenPayload } from "#modules/webhooks/calls/payload.ts";
import type { EventOrigin } from "#modules/webhooks/core/lane.ts";
import type { ServiceContext } from "#platform/context.ts";
import type { WrittenEvent } from "#platform/events/envelope.ts";
import type { LedgerMessage, LedgerOrigin } from "#platform/events/messages.ts";
import type { RereadPart } from "#platform/events/source.ts";
import { type Clock, toMillis } from "#platform/time.ts";

/** The sources of bodies. */
export interface BodySources {
  readonly context: ServiceContext;
  /** Reads the first events of a ledger's message again; undefined if they are gone for good. */
  readonly reread: (
    message: LedgerMessage,
    context: ServiceContext,
  ) => Promise<RereadPart | undefined>;
}

/** The place of an event in its origin: the id of its log entry, or the event's own id. */
type Position = number | string;
/** Bodies by position; undefined if the event is gone for good. Positions that are absent were not read. */
type Bodies = ReadonlyMap<Position, string | undefined>;

/** Most unwanted entries between two wanted ones that are read along, because another call costs more. */
const GAP_MAX = 20;
/** Length after which one call reads no further bodies, in characters. An object has little memory. */
const LENGTH_MAX = 8_000_000;
/**
 * Time after which one call reads no further bodies, in milliseconds. A lane waits for `READ_MS_MAX`; after it, it would get no
 * body at all and ask for as many again.
 */
const READ_ON_MS_MAX = 2000;
/** How many stored bodies one statement reads. A body may have two megabytes. */
const STORED_AT_ONCE = 4;

/**
 * Reads bodies of events of one origin: at least one, and as many as fit into memory and the time. Callers ask for the others
 * again. Bodies of a ledger's events are made from its log, which never changes. Throws if they cannot be read now.
 */
export function readBodies(
  origin: EventOrigin,
  positions: readonly Position[],
  sources: BodySources,
): Promise<Bodies> {
  return origin.source === "outbox"
    ? readStored(positions, sources.context)
    : readLog(origin, positions, sources);
}

/** The bodies of all given events, in their order. Throws as `readBodies` does. */
export async function readAllBodies(
  origin: EventOrigin,
  positions: readonly Position[],
  sources: BodySources,
): Promise<(string | undefined)[]> {
  const bodies = new Map<Position, string | undefined>();
  for (let rest = positions; rest.length > 0;) {
    for (const [position, body] of await readBodies(origin, rest, sources)) {
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
  { context, reread }: BodySources,
): Promise<Bodies> {
  const wanted = new Map(positions.map((position) => [Number(position), position]));
  const bodies = new Map<Position, string | undefined>();
  const limits = new ReadLimits(context.clock);
  for (const range of rangesOf([...wanted.keys()])) {
    for (let from = range.from; from <= range.to;) {
      if (!limits.areKept) return bodies;
      const message = { source: "ledger", ledger, uuid, from, to: range.to } as const;
      const part = await reread(message, context);
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

/** The limits of one call, in length and in time. */
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

  /** Counts a body that was read. */
  add(body: string | undefined): void {
    this.#length += body?.length ?? 0;
  }
}

const positionOf = ({ id }: WrittenEvent, uuid: string): number =>
  Number(id.slice(uuid.length + 1));

/** Throws for an event that a ledger did not return. A log never loses an entry, so this is a fault, and the event does not count as gone. */
function existing(event: WrittenEvent | undefined, id: number, ledger: string): WrittenEvent {
  if (event === undefined) throw new Error(`ledger ${ledger} gave no entry ${id} of its log`);
  return event;
}

/** Ranges that contain all positions and few others. */
function rangesOf(positions: readonly number[]): { from: number; to: number }[] {
  const ranges: { from: number; to: number }[] = [];
  for (const position of positions.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last !== undefined && position - last.to <= GAP_MAX) last.to = position;
    else ranges.push({ from: position, to: position });
  }
  return ranges;
}
