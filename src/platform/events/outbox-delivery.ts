import type { PlatformEvent } from "./envelope.ts";
import { idParts, type OutboxStore, type StoredEvent } from "./outbox-store.ts";
import type { EventDelivery } from "./source.ts";
import { parseJson } from "#platform/json.ts";
import { logError } from "#platform/log.ts";

/**
 * Announcements after which a refused event is parked, about an hour after it was stored. A parked event is announced once an hour, and
 * later events of its key no longer wait for it.
 */
export const PARKED_AFTER_ATTEMPTS = 10;

/** A stored event with its parsed text. */
interface OpenEvent extends StoredEvent {
  readonly event: PlatformEvent;
}

/**
 * One delivery of events of the outbox. An event that the sink refuses holds up the later events of its key until it is parked, and no
 * other events. No event is dropped.
 */
export class OutboxDelivery {
  readonly #store: OutboxStore;
  readonly #delivery: Pick<EventDelivery, "sink" | "signal">;
  /** Keys with a refused event, whose later events wait. */
  readonly #blocked = new Set<string>();
  /** The first refusal, because of which the delivery has to be repeated. */
  #refusal: Error | undefined;

  constructor(store: OutboxStore, delivery: Pick<EventDelivery, "sink" | "signal">) {
    this.#store = store;
    this.#delivery = delivery;
  }

  /** Delivers events, and confirms those that the sink accepts. Throws if the sink refused an event that is not parked yet. */
  async deliver(ids: readonly string[]): Promise<void> {
    for (const part of idParts(ids)) await this.#deliverPart(part);
    if (this.#refusal !== undefined) throw this.#refusal;
  }

  async #deliverPart(ids: readonly string[]): Promise<void> {
    let after = 0;
    for (let isAll = false; !isAll;) {
      const part = await this.#store.read(ids, after);
      const opened: OpenEvent[] = [];
      for (const stored of part.events) {
        const event = await this.#open(stored);
        if (event !== undefined) opened.push({ ...stored, event });
      }
      await this.#offer(opened);
      after = part.events.at(-1)?.sequence ?? after;
      ({ isAll } = part);
    }
  }

  /** Parses an event. An unreadable event is parked, because no repetition would repair it. */
  async #open({ id, text }: StoredEvent): Promise<PlatformEvent | undefined> {
    try {
      return parseJson(text) as PlatformEvent; // The outbox stores only events.
    } catch (error) {
      logError("an event of the outbox cannot be read and is parked", error, { event: id });
      await this.#store.park(id, PARKED_AFTER_ATTEMPTS);
      return undefined;
    }
  }

  /** Offers events to the sink, and offers refused events in halves (bisection), so that the acceptable ones are confirmed. */
  async #offer(events: readonly OpenEvent[]): Promise<void> {
    const open = events.filter(({ orderKey }) => orderKey === null || !this.#blocked.has(orderKey));
    const [first] = open;
    if (first === undefined) return;
    const { sink, signal } = this.#delivery;
    signal.throwIfAborted();
    try {
      await sink(
        open.map(({ event }) => event),
        { source: "outbox", ids: open.map(({ id }) => id) },
      );
    } catch (error) {
      if (open.length === 1) return this.#refuse(first, error);
      logError("events of the outbox are refused and are offered in halves", error, {
        count: open.length,
      });
      const middle = Math.ceil(open.length / 2);
      await this.#offer(open.slice(0, middle));
      return this.#offer(open.slice(middle));
    }
    await this.#store.remove(open.map(({ id }) => id));
  }

  async #refuse({ id, orderKey, attempts, event }: OpenEvent, cause: unknown): Promise<void> {
    if (attempts >= PARKED_AFTER_ATTEMPTS) {
      const type = `${event.app}.${event.type}`;
      logError("an event of the outbox is refused and is parked", cause, { event: id, type });
      await this.#store.park(id, PARKED_AFTER_ATTEMPTS);
      return;
    }
    if (orderKey !== null) this.#blocked.add(orderKey);
    this.#refusal ??= new Error(`the event ${id} was refused`, { cause });
  }
}
