import { authClients } from "#modules/auth/tables.ts";
import type { PlatformEvent } from "#platform/events/envelope.ts";
import { OutboxDelivery } from "#platform/events/outbox-delivery.ts";
import { OutboxStore } from "#platform/events/outbox-store.ts";
import { Outbox } from "#platform/events/outbox.ts";
import type { EventSink } from "#platform/events/source.ts";
import { fromMillis } from "#platform/time.ts";
import { NodeD1 } from "#test/support/platform/node-d1.ts";

export const START_MS = Date.parse("2026-03-01T12:00:00Z");
export const SECOND = 1000;

export const eventOf = (id: string, payload: unknown = {}): PlatformEvent => ({
  id,
  app: "payments",
  version: "v3",
  type: "SAVED_PAYMENT",
  date: fromMillis(START_MS),
  idempotencyKey: "",
  payload,
});

/** A deployment whose queue and clock the test controls. */
export class OutboxWorld {
  readonly d1 = new NodeD1();
  readonly watched: number[] = [];
  /** Messages that are sent and not consumed yet. */
  queue: (readonly string[])[] = [];
  nowMs = START_MS;
  beforeSend: () => void = () => undefined;
  readonly outbox: Outbox;

  constructor() {
    this.d1.migrate();
    this.outbox = new Outbox(this.d1.db, {
      send: async (messages) => {
        this.beforeSend();
        this.queue.push(...messages.map(({ body }) => body.ids));
      },
      sweepClock: {
        arm: async () => undefined,
        watch: async (untilMs) => void this.watched.push(untilMs),
      },
      clock: () => fromMillis(this.nowMs),
    });
  }

  /** A visible change in D1: the insertion of a client with a name. */
  change(name: string) {
    return this.d1.db.insert(authClients).values({
      id: name,
      name,
      description: "",
      public: false,
      trusted: false,
      redirectUris: "[]",
      postLogoutRedirectUris: "[]",
      scopes: "[]",
      metadata: "{}",
    });
  }

  async publish(id: string, orderKey?: string): Promise<void> {
    const keyed = orderKey === undefined ? {} : { orderKey };
    await this.outbox.publish({
      change: [this.change(id)],
      events: [{ event: eventOf(id), ...keyed }],
    });
  }

  /** Delivers the events of a message, as a consumer does. */
  deliver(
    ids: readonly string[],
    sink: EventSink,
    signal = new AbortController().signal,
  ): Promise<void> {
    return new OutboxDelivery(new OutboxStore(this.d1.db), { sink, signal }).deliver(ids);
  }

  /** Delivers the events of a message to a sink that takes all; returns the ids. */
  async consume(ids: readonly string[]): Promise<string[]> {
    const seen: string[] = [];
    await this.deliver(ids, async (events) => void seen.push(...events.map(({ id }) => id)));
    return seen;
  }

  get stored(): unknown[] {
    return this.d1.rows("SELECT id FROM outbox ORDER BY sequence").map(({ id }) => id);
  }

  get changes(): unknown[] {
    return this.d1.rows("SELECT id FROM auth_clients ORDER BY sequence").map(({ id }) => id);
  }
}
