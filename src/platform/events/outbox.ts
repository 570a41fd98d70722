import type { SQL } from "drizzle-orm";
import type { BatchItem, BatchResponse } from "drizzle-orm/batch";
import type { PlatformEvent } from "./envelope.ts";
import type { OutboxMessage } from "./messages.ts";
import { PARKED_AFTER_ATTEMPTS } from "./outbox-delivery.ts";
import { type OutboxEvent, OutboxStore } from "./outbox-store.ts";
import { assert } from "#platform/assert.ts";
import type { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { storeWithReserve } from "#platform/db/reserve.ts";
import { AppError } from "#platform/errors.ts";
import { parseJson, quoteJson, stringifyJson } from "#platform/json.ts";
import { logError } from "#platform/log.ts";
import { STATEMENT_MS_MAX, sweepClockOf } from "#platform/objects/deployment-clock.ts";
import { type Clock, fromMillis, toMillis } from "#platform/time.ts";
import { currentCause } from "#platform/tracing/cause.ts";
import { doubling, waitAfterFailures } from "#platform/work/backoff.ts";
import type { SweepClock } from "#platform/work/reconcile.ts";

/** The dependencies of the outbox besides D1. */
export interface OutboxPorts {
  readonly send: (messages: readonly MessageSendRequest<OutboxMessage>[]) => Promise<void>;
  readonly sweepClock: SweepClock;
  readonly clock: Clock;
  /** The causation depth of events without a depth of their own. */
  readonly causationDepth?: number;
}

/** A change that is stored together with its events. */
export interface Publication<T extends readonly BatchItem<"sqlite">[]> {
  /** The statements of the change, which may be none. */
  readonly change: T;
  readonly events: readonly OutboxEvent[];
  /** The condition on which an event is stored, tested after the change; absent for all events. */
  readonly condition?: SQL;
  /** The audit entry for the first statement of the change, which the same batch stores. */
  readonly audit?: AuditedChange;
  /** Whether the change must work in a full database, because it frees room. The default is that of `audit`. */
  readonly isVital?: boolean;
}

/** Largest event, in bytes of its JSON. A parameter of D1 takes 2 MB, and the escapes of quotes in it may double the size of an event. */
export const EVENT_BYTES_MAX = 524_288;
/** Most events of one change, and most bytes of their JSON together, because one statement stores them. */
export const EVENTS_PER_CHANGE_MAX = 1000;
export const BYTES_PER_CHANGE_MAX = 4_000_000;

/** Most ids in a message, and most bytes of an id's JSON: the platform takes messages of 128 kB. */
const IDS_PER_MESSAGE_MAX = 100;
const ID_BYTES_MAX = 1000;
/** Most messages that are sent in one call: the platform takes 256 kB a call. */
const MESSAGES_PER_SEND_MAX = 10;
/** The sweep that announces events again. */
export const OUTBOX_SWEEP = "outbox";
/** Waits before unconfirmed events are announced again. */
const ANNOUNCE_BACKOFF = doubling(15_000, 600_000);
/** Wait before a parked event is announced again, in milliseconds. */
const PARKED_MS = 3_600_000;
/** Most events that one sweep announces again. */
const SWEEP_ROWS_MAX = 1000;

/**
 * Publishes the events of changes in D1: a transactional outbox (C. Richardson, "Microservices Patterns", 2018, chapter 3).
 *
 *     publish ─► D1, one batch ─► queue `events` ─► consumeEvents ─► each listener ─► DELETE of the rows
 *                change,          ids, without      reads rows       stores its       (confirmation)
 *                audit entry,     payloads          by id            effects
 *                outbox rows          ▲
 *                     │ not deleted   │
 *                     └ in time ─► sweep: the ids again
 *
 * No event is lost, and no event describes a change that was not stored, whichever process is killed at whichever time:
 *
 * | A kill after | leaves | and then |
 * | --- | --- | --- |
 * | the clock is set to watch | nothing | a sweep finds nothing |
 * | the change is stored | the change and its events | the sweep, which the clock still watches for, announces the events |
 * | the events are announced | the change, its events and messages | the consumer reads the events; an event that is announced twice has the same id |
 * | a listener has stored its effects | the change, its events and messages | the events come again, and the listener knows their ids |
 * | the events are confirmed | the change | a message that comes late finds no events |
 *
 * An event with a key is read together with all earlier events of the key, so that consumers get events of a key in order, whatever the
 * order of the messages. Events without a key, and events of different keys, have no order. An event that is refused for an hour, or cannot
 * be read, is parked: it leaves the order of its key, so that later events go on, and is announced once an hour.
 */
export class Outbox {
  readonly #db: Database;
  readonly #store: OutboxStore;
  readonly #ports: OutboxPorts;

  constructor(db: Database, ports: OutboxPorts) {
    this.#db = db;
    this.#store = new OutboxStore(db);
    this.#ports = ports;
  }

  static from({
    env,
    clock,
    causationDepth = 0,
  }: Pick<ServiceContext, "env" | "clock" | "causationDepth">): Outbox {
    return new Outbox(databaseOf(env), {
      send: async (messages) => {
        await env.EVENTS.sendBatch(messages);
      },
      sweepClock: sweepClockOf(env, OUTBOX_SWEEP),
      clock,
      causationDepth,
    });
  }

  /**
   * Stores a change and its events in one batch, and announces the events. Returns the results of the change's statements. Throws
   * `VALIDATION` for an event that is too large, and the errors of the database.
   */
  async publish<const T extends readonly BatchItem<"sqlite">[]>({
    change,
    events: told,
    condition,
    audit,
    isVital = audit?.isVital ?? false,
  }: Publication<T>): Promise<BatchResponse<T>> {
    assert(audit === undefined || change.length > 0, "the audit tells of a change");
    const events = caused(told, this.#ports.causationDepth, currentCause()?.toText());
    assertPublishable(events);
    if (events.length > 0) await this.#ports.sweepClock.watch(this.#nowMs() + STATEMENT_MS_MAX);
    const announceAt = fromMillis(this.#nowMs() + waitAfterFailures(ANNOUNCE_BACKOFF, 1));
    const inserts = events.length === 0 ? [] : [this.#store.insert(events, announceAt, condition)];
    const entries = audit === undefined ? [] : [audit.entry];
    const [first, ...others] = [...change.slice(0, 1), ...entries, ...change.slice(1), ...inserts];
    const results =
      first === undefined
        ? []
        : await (isVital
            ? storeWithReserve(this.#db, [first, ...others])
            : this.#db.batch([first, ...others]));
    await audit?.armSweep();
    // The statement of the outbox comes last and returns the ids of the stored events.
    const stored = results.slice(change.length + entries.length).flat() as {
      readonly id: string;
    }[];
    await this.#announce(stored.map(({ id }) => id));
    return results.toSpliced(1, entries.length).slice(0, change.length) as BatchResponse<T>;
  }

  /** Announces unconfirmed events again. Returns the time of the next sweep, in milliseconds since the epoch. */
  async sweep(): Promise<number | undefined> {
    const nowMs = this.#nowMs();
    const due = await this.#store.listDue(nowMs, SWEEP_ROWS_MAX);
    const planned = due.map((event) => ({
      ...event,
      nextMs: nowMs + waitOf(event.attempts + 1),
    }));
    await this.#announce(planned.length === 0 ? [] : await this.#store.claim(planned));
    return this.#store.nextDueMs();
  }

  /** Sends the ids to the queue. Never throws: after a failure, the sweep announces the events. */
  async #announce(ids: readonly string[]): Promise<void> {
    const messages: MessageSendRequest<OutboxMessage>[] = [];
    for (let at = 0; at < ids.length; at += IDS_PER_MESSAGE_MAX) {
      messages.push({ body: { source: "outbox", ids: ids.slice(at, at + IDS_PER_MESSAGE_MAX) } });
    }
    try {
      for (let at = 0; at < messages.length; at += MESSAGES_PER_SEND_MAX) {
        await this.#ports.send(messages.slice(at, at + MESSAGES_PER_SEND_MAX));
      }
    } catch (error) {
      logError("events could not be announced; the sweep announces them again", error, {
        count: ids.length,
      });
    }
  }

  #nowMs(): number {
    return toMillis(this.#ports.clock());
  }
}

/** The wait after `attempts` repeated announcements, in milliseconds. */
const waitOf = (attempts: number): number =>
  attempts > PARKED_AFTER_ATTEMPTS ? PARKED_MS : waitAfterFailures(ANNOUNCE_BACKOFF, attempts + 1);

/** Adds the causation depth and the cause to events without one of their own. */
function caused(
  events: readonly OutboxEvent[],
  causationDepth = 0,
  cause: string | undefined,
): readonly OutboxEvent[] {
  if (causationDepth === 0 && cause === undefined) return events;
  const facts = {
    ...(causationDepth === 0 ? {} : { causationDepth }),
    ...(cause === undefined ? {} : { cause }),
  };
  return events.map((stored) => ({ ...stored, event: { ...facts, ...stored.event } }));
}

/** Throws `VALIDATION` for events that cannot all be stored, announced and read. */
function assertPublishable(events: readonly OutboxEvent[]): void {
  const totalBytes = events.reduce((total, { event }) => total + bytesToStore(event), 0);
  if (events.length > EVENTS_PER_CHANGE_MAX || totalBytes > BYTES_PER_CHANGE_MAX) {
    throw new AppError(
      "VALIDATION",
      `a change publishes ${events.length} events of ${totalBytes} bytes; at most ${EVENTS_PER_CHANGE_MAX} of ${BYTES_PER_CHANGE_MAX} bytes can be published together`,
    );
  }
}

/** The bytes of an event's JSON. Throws `VALIDATION` for an event that cannot be stored, announced and read. */
function bytesToStore(event: PlatformEvent): number {
  const name = `${event.app}.${event.type}`;
  const idBytes = byteLength(quoteJson(event.id)) - 2;
  if (idBytes > ID_BYTES_MAX) {
    throw new AppError(
      "VALIDATION",
      `the id of the event ${name} has ${idBytes} bytes; at most ${ID_BYTES_MAX} can be announced`,
    );
  }
  const text = stringifyJson(event);
  assertReadable(text, name);
  const bytes = byteLength(text);
  if (bytes <= EVENT_BYTES_MAX) return bytes;
  throw new AppError(
    "VALIDATION",
    `the event ${name} has ${bytes} bytes; at most ${EVENT_BYTES_MAX} can be published`,
  );
}

const byteLength = (text: string): number => new TextEncoder().encode(text).byteLength;

/**
 * Throws `VALIDATION` for JSON that `parseJson` would refuse: reading is stricter than writing, and no consumer would ever get an
 * unreadable event.
 */
function assertReadable(text: string, name: string): void {
  try {
    parseJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new AppError("VALIDATION", `the event ${name} cannot be published: ${error.message}`, {
      cause: error,
    });
  }
}
