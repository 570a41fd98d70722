import { sql } from "drizzle-orm";
import * as fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { authClients } from "#modules/auth/tables.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import { systemContext } from "#platform/context.ts";
import type { PlatformEvent } from "#platform/events/envelope.ts";
import { EVENT_BYTES_MAX } from "#platform/events/outbox.ts";
import { eventOf, OutboxWorld, SECOND, START_MS } from "#test/support/platform/outbox-world.ts";
import { runsOf } from "#test/support/runner/runs.ts";

/** Arrays nested `levels` deep. */
const nested = (levels: number): unknown =>
  levels === 0 ? "x".repeat(1000) : [nested(levels - 1)];

let world: OutboxWorld;
beforeEach(() => {
  world = new OutboxWorld();
});

describe("a change with events", () => {
  test("a change with events is stored with them in one batch, and they are announced at once", async () => {
    const { outbox } = world;
    const returned = await outbox.publish({
      change: [world.change("a").returning({ name: authClients.name })],
      events: [{ event: eventOf("1", { amount: 10n ** 30n }) }, { event: eventOf("2") }],
    });
    expect(returned).toEqual([[{ name: "a" }]]);
    expect([world.changes, world.stored, world.queue]).toEqual([["a"], ["1", "2"], [["1", "2"]]]);
    expect(world.watched).toEqual([START_MS + 35 * SECOND]);
    const delivered: PlatformEvent[] = [];
    await world.deliver(["1"], async (events) => void delivered.push(...events));
    expect(delivered).toEqual([eventOf("1", { amount: 10n ** 30n })]);
  });

  test("a change with events that fails stores none of them", async () => {
    await world.publish("a");
    await expect(
      world.outbox.publish({ change: [world.change("a")], events: [{ event: eventOf("b") }] }),
    ).rejects.toThrow("UNIQUE");
    expect([world.stored, world.queue]).toEqual([["a"], [["a"]]]);
  });

  test("a change with events publishes nothing if its condition does not hold afterwards", async () => {
    const update = (name: string) =>
      world.d1.db
        .update(authClients)
        .set({ name: "new" })
        .where(sql`id = ${name}`);
    const condition = sql`EXISTS (SELECT 1 FROM auth_clients WHERE name = 'new')`;
    const events = [{ event: eventOf("1") }];
    await world.outbox.publish({ change: [update("a")], events, condition });
    expect([world.stored, world.queue]).toEqual([[], []]);
    await world.outbox.publish({ change: [world.change("a"), update("a")], events, condition });
    expect([world.stored, world.queue]).toEqual([["1"], [["1"]]]);
  });

  test("a change with events is stored with its entry in the audit and its events in one batch", async () => {
    const arm = async () => undefined;
    const env = { DB: world.d1.binding, CLOCK: { getByName: () => ({ arm }) } };
    const context = systemContext(env as unknown as Env, "test"); // the outbox uses only these members
    const audit = new AuditedChange(context, { action: "test.client.create", object: "clients/a" });
    const rename = (name: string) =>
      world.d1.db
        .update(authClients)
        .set({ name: "new" })
        .where(sql`id = ${name}`)
        .returning({ id: authClients.id });
    let steps = 0;
    world.d1.onStep = () => void steps++;
    const returned = await world.outbox.publish({
      change: [world.change("a").returning({ id: authClients.id }), rename("a")],
      events: [{ event: eventOf("1") }],
      condition: sql`changes() > 0`,
      audit,
    });
    expect([returned, steps]).toEqual([[[{ id: "a" }], [{ id: "a" }]], 2]);
    const entries = world.d1.rows("SELECT action, object FROM audit");
    expect(entries).toEqual([{ action: "test.client.create", object: "clients/a" }]);
    expect([world.stored, world.queue]).toEqual([["1"], [["1"]]]);

    const events = [{ event: eventOf("2") }];
    await world.outbox.publish({
      change: [rename("none")],
      events,
      condition: sql`changes() > 0`,
      audit,
    });
    expect(world.d1.rows("SELECT id FROM audit")).toHaveLength(1);
    expect([world.stored, world.queue]).toEqual([["1"], [["1"]]]);
  });

  test("a change with events decides once for all its events, however many they are", async () => {
    await world.publish("e0");
    const events = Array.from({ length: 6 }, (_, index) => ({
      event: eventOf(`e${index}`, "x".repeat(400_000)),
    }));
    // The event `e0` is stored already, so its insertion changes nothing. The condition is tested only for the first of the
    // statements that store events.
    const condition = sql`changes() > 0`;
    await world.outbox.publish({ change: [world.change("a")], events, condition });
    expect(world.stored).toEqual(["e0", "e1", "e2", "e3", "e4", "e5"]);
    const update = world.d1.db
      .update(authClients)
      .set({ name: "new" })
      .where(sql`id = 'none'`);
    await world.outbox.publish({ change: [update], events: [{ event: eventOf("f") }], condition });
    expect(world.stored).not.toContain("f");
  });

  test.each([
    ["count", Array.from({ length: 1001 }, (_, index) => eventOf(`${index}`))],
    ["size", Array.from({ length: 9 }, (_, index) => eventOf(`${index}`, "x".repeat(500_000)))],
  ])(
    "a change with events is refused if the %s of its events is too large, and changes nothing",
    async (_, all) => {
      const events = all.map((event) => ({ event }));
      const publishing = world.outbox.publish({ change: [world.change("a")], events });
      await expect(publishing).rejects.toMatchObject({ kind: "VALIDATION" });
      expect([world.changes, world.stored, world.watched]).toEqual([[], [], []]);
    },
  );

  test("a change with events that is repeated stores no event twice", async () => {
    const publish = () => world.outbox.publish({ change: [], events: [{ event: eventOf("1") }] });
    await publish();
    await publish();
    expect([world.stored, world.queue]).toEqual([["1"], [["1"]]]);
  });

  test.each([
    ["an event is too large", eventOf("1", "x".repeat(EVENT_BYTES_MAX)), / has 524\d+ bytes; /],
    ["the id of an event is too long", eventOf("1".repeat(1001)), / has 1001 bytes; /],
    ["the id of an event is too long in bytes", eventOf("ü".repeat(501)), / has 1002 bytes; /],
    ["an event is nested too deep", eventOf("1", nested(200)), /cannot be published: it is nested/],
    [
      "a text of an event has a null character",
      eventOf("1", "\0"),
      /cannot be published: .*U\+0000/,
    ],
    [
      "a text of an event is malformed",
      eventOf("1", "\ud800"),
      /cannot be published: .*surrogates/,
    ],
  ])("a change with events is refused if %s, and changes nothing", async (_, event, message) => {
    const publishing = world.outbox.publish({ change: [world.change("a")], events: [{ event }] });
    await expect(publishing).rejects.toMatchObject({ kind: "VALIDATION" });
    await expect(publishing).rejects.toThrow(message);
    expect([world.changes, world.stored, world.watched]).toEqual([[], [], []]);
  });

  test("a change with events publishes many events in messages that the queue accepts", async () => {
    const ids = Array.from({ length: 1000 }, (_, index) => `e${index}`);
    const events = ids.map((id) => ({ event: eventOf(id, "x".repeat(3000)) }));
    await world.outbox.publish({ change: [], events });
    expect(world.stored).toEqual(ids);
    expect(world.queue.map((message) => message.length)).toEqual(
      Array.from({ length: 10 }, () => 100),
    );
    expect(await world.consume(ids)).toEqual(ids);
    expect(world.stored).toEqual([]);
  });

  test("a change with events is read in parts if its events are large", async () => {
    const events = Array.from({ length: 10 }, (_, index) => ({
      event: eventOf(`${index}`, `"`.repeat(EVENT_BYTES_MAX / 2 - 200)),
    }));
    await world.outbox.publish({ change: [], events: events.slice(0, 5) });
    await world.outbox.publish({ change: [], events: events.slice(5) });
    const ids = events.map(({ event }) => event.id);
    const parts: string[][] = [];
    await world.deliver(ids, async (part) => void parts.push(part.map(({ id }) => id)));
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.length).toBeLessThan(10);
    expect(parts.flat()).toEqual(ids);
  });
});

describe("the sweep", () => {
  test("the sweep of the outbox announces unconfirmed events again, later each time, and rests when all are confirmed", async () => {
    await world.publish("1");
    expect(await world.outbox.sweep()).toBe(START_MS + 15 * SECOND);
    const waits: number[] = [];
    for (let round = 0; round < 8; round++) {
      const nextMs = (await world.outbox.sweep()) ?? 0;
      waits.push((nextMs - world.nowMs) / SECOND);
      world.nowMs = nextMs;
    }
    expect(waits).toEqual([15, 30, 60, 120, 240, 480, 600, 600]);
    expect(world.queue).toHaveLength(8);
    await world.consume(["1"]);
    expect(await world.outbox.sweep()).toBeUndefined();
  });

  test("the sweep of the outbox announces an event once even if two run at once", async () => {
    await world.publish("1");
    world.nowMs += 15 * SECOND;
    await Promise.all([world.outbox.sweep(), world.outbox.sweep()]);
    expect(world.queue).toEqual([["1"], ["1"]]);
  });

  test("the sweep of the outbox sends what a queue that was out of order could not take", async () => {
    world.beforeSend = () => {
      throw new Error("no queue");
    };
    await world.publish("1");
    expect([world.changes, world.queue]).toEqual([["1"], []]);
    world.beforeSend = () => undefined;
    world.nowMs += 15 * SECOND;
    await world.outbox.sweep();
    expect(world.queue).toEqual([["1"]]);
  });
});

describe("a reader", () => {
  test("a reader of the outbox gets the earlier events of a key first, however the messages come", async () => {
    for (const id of ["1", "2", "3"]) await world.publish(id, "key");
    await world.publish("4");
    await world.publish("5", "other");
    expect(await world.consume(["2"])).toEqual(["1", "2"]);
    expect(await world.consume(["1"])).toEqual([]);
    expect(await world.consume(["4"])).toEqual(["4"]);
    expect(await world.consume(["5", "3"])).toEqual(["3", "5"]);
  });

  test("a reader of the outbox gets nothing for unknown events", async () => {
    expect(await world.consume(["gone"])).toEqual([]);
  });
});

test("a reader that skips known ids sees each change once, in the order of its key, whoever is killed", async () => {
  const changes = fc.array(fc.constantFrom("a", "b", undefined), { minLength: 1, maxLength: 6 });
  const chances = fc.infiniteStream(fc.integer({ min: 0, max: 7 }));
  await fc.assert(
    fc.asyncProperty(changes, chances, async (keys, stream) => {
      world = new OutboxWorld();
      const seen: string[] = [];
      let isSafe = false;
      const chance = (): number => Number(stream.next().value);
      const mayDie = (): void => {
        if (!isSafe && chance() === 0) throw new Error("killed");
      };
      world.d1.onStep = mayDie;
      world.beforeSend = mayDie;
      const survive = async (work: () => Promise<unknown>): Promise<void> => {
        await work().catch(() => undefined);
      };
      /** Consumes a random message. It may be lost or delivered again later. */
      const consumeSome = async (): Promise<void> => {
        const [at, fate] = [chance(), chance()];
        const ids = world.queue[at % Math.max(world.queue.length, 1)];
        if (ids === undefined) return;
        if (fate > 1) world.queue = world.queue.filter((message) => message !== ids);
        if (fate === 7) return; // the message is lost
        await survive(() =>
          world.deliver(ids, async (events) => {
            mayDie();
            for (const { id } of events) if (!seen.includes(id)) seen.push(id);
            mayDie();
          }),
        );
      };
      for (const [index, key] of keys.entries()) {
        await survive(() => world.publish(`${index}`, key));
        await consumeSome();
      }
      isSafe = true;
      for (let round = 0; round < 10; round++) {
        const nextMs = await world.outbox.sweep();
        for (const ids of world.queue.splice(0).toReversed()) {
          const fresh = await world.consume(ids);
          for (const id of fresh) if (!seen.includes(id)) seen.push(id);
        }
        if (nextMs === undefined) break;
        world.nowMs = Math.max(nextMs, world.nowMs);
      }
      // The reader has seen exactly the changes that were stored.
      expect(new Set(seen)).toEqual(new Set(world.changes));
      expect(world.stored).toEqual([]);
      for (const key of ["a", "b"]) {
        const ofKey = seen.filter((id) => keys[Number(id)] === key);
        expect(ofKey).toEqual(ofKey.toSorted((a, b) => Number(a) - Number(b)));
      }
    }),
    { numRuns: runsOf(100) },
  );
});
