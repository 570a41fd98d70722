import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { PayloadStore } from "#modules/webhooks/bodies/payload-store.ts";
import { webhookListener } from "#modules/webhooks/fan-out/event-listener.ts";
import { systemContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { consumeEvents } from "#platform/events/consumer.ts";
import type { PlatformEvent } from "#platform/events/envelope.ts";
import { outboxSource } from "#platform/events/outbox-source.ts";
import { OutboxStore } from "#platform/events/outbox-store.ts";
import { Outbox } from "#platform/events/outbox.ts";
import { fromMillis } from "#platform/time.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { EndpointBench, eventFor } from "#test/support/webhooks/deliveries.ts";

const context = systemContext(env, "test");
const NOW = fromMillis(Date.now());

/** An outbox whose messages and sweep the test controls. */
function outboxOf(): { outbox: Outbox; messages: (readonly string[])[] } {
  const messages: (readonly string[])[] = [];
  const outbox = new Outbox(databaseOf(env), {
    send: async (sent) => void messages.push(...sent.map(({ body }) => body.ids)),
    sweepClock: { arm: async () => undefined, watch: async () => undefined },
    clock: () => NOW,
  });
  return { outbox, messages };
}

/** Passes messages to the consumer; returns the outcome of each message. */
async function consume(bodies: readonly (readonly string[])[]): Promise<string[]> {
  const fates: string[] = [];
  const messages = bodies.map((ids, index): Message => {
    const body = { source: "outbox", ids };
    const end = (fate: string) => () => void (fates[index] = fate);
    return {
      id: `${index}`,
      timestamp: new Date(),
      body,
      attempts: 1,
      ack: end("ack"),
      retry: end("retry"),
    };
  });
  const batch: MessageBatch = {
    queue: "florin-events",
    messages,
    metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } },
    ackAll: () => undefined,
    retryAll: () => undefined,
  };
  await consumeEvents(batch, context, {
    sources: [outboxSource],
    listeners: [webhookListener],
  });
  return fates;
}

const publish = (outbox: Outbox, events: readonly PlatformEvent[], orderKey: string) =>
  outbox.publish({ change: [], events: events.map((event) => ({ event, orderKey })) });

const isStored = async (id: string): Promise<boolean> =>
  (await env.DB.prepare("SELECT 1 FROM outbox WHERE id = ?").bind(id).first()) !== null;

describe("an event of the outbox", () => {
  test("an outbox event reaches its subscribers through the queue, and is deleted", async () => {
    const bench = new EndpointBench();
    const config = await bench.subscribe();
    const event = eventFor(config);
    await Outbox.from(context).publish({ change: [], events: [{ event }] });
    await eventually(async () => {
      expect(await bench.deliveriesOf(config.id)).toMatchObject([{ eventId: event.id }]);
      expect(await isStored(event.id)).toBe(false);
    });
  });

  test("an outbox event that comes twice, late or in a message of its own is delivered once, in the order of its key", async () => {
    const bench = new EndpointBench();
    const config = await bench.subscribe();
    const { outbox, messages } = outboxOf();
    const events = [eventFor(config), eventFor(config), eventFor(config)];
    for (const event of events) await publish(outbox, [event], config.id);
    const [first = [], second = [], third = []] = messages;
    expect(await consume([second])).toEqual(["ack"]);
    expect(await bench.deliveriesOf(config.id)).toHaveLength(2);
    expect(await consume([third, second, first])).toEqual(["ack", "ack", "ack"]);
    expect(await consume([first])).toEqual(["ack"]);
    const ids = (await bench.deliveriesOf(config.id)).map(({ eventId }) => eventId);
    expect(ids.toSorted()).toEqual(events.map(({ id }) => id).toSorted());
  });

  test("an outbox event comes again if its consumer was killed, before or after deliveries are stored", async () => {
    const bench = new EndpointBench();
    const config = await bench.subscribe();
    const { outbox, messages } = outboxOf();
    const event = eventFor(config);
    await publish(outbox, [event], config.id);
    vi.spyOn(PayloadStore.prototype, "insert").mockRejectedValueOnce(new Error("killed"));
    expect(await consume(messages)).toEqual(["retry"]);
    expect(await isStored(event.id)).toBe(true);
    vi.spyOn(OutboxStore.prototype, "remove").mockRejectedValueOnce(new Error("killed"));
    expect(await consume(messages)).toEqual(["retry"]);
    expect([await isStored(event.id), (await bench.deliveriesOf(config.id)).length]).toEqual([
      true,
      1,
    ]);
    expect(await consume(messages)).toEqual(["ack"]);
    expect([await isStored(event.id), (await bench.deliveriesOf(config.id)).length]).toEqual([
      false,
      1,
    ]);
    vi.restoreAllMocks();
  });

  test("an outbox event is stored with all others of its change, however large they are together", async () => {
    const { outbox, messages } = outboxOf();
    const config = await new EndpointBench().subscribe();
    const events = Array.from({ length: 7 }, () => ({
      event: { ...eventFor(config), payload: "x".repeat(400_000) },
    }));
    await outbox.publish({ change: [], events });
    const ids = events.map(({ event }) => event.id);
    expect(messages).toEqual([ids]);
    await new OutboxStore(databaseOf(env)).remove(ids);
  });

  test("an outbox event whose message was lost is announced by the sweep", async () => {
    const bench = new EndpointBench();
    const config = await bench.subscribe();
    const event = eventFor(config);
    await publish(outboxOf().outbox, [event], config.id);
    const past = "UPDATE outbox SET announce_at = '2020-01-01T00:00:00.000000Z' WHERE id = ?";
    await env.DB.prepare(past).bind(event.id).run();
    await Outbox.from(context).sweep();
    await eventually(async () => expect(await isStored(event.id)).toBe(false));
    expect(await bench.deliveriesOf(config.id)).toHaveLength(1);
  });
});
