import { afterEach, beforeEach, describe, expect, type MockInstance, test, vi } from "vitest";
import { PARKED_AFTER_ATTEMPTS } from "#platform/events/outbox-delivery.ts";
import { eventOf, OutboxWorld, SECOND } from "#test/support/platform/outbox-world.ts";

const HOUR = 3600 * SECOND;

let world: OutboxWorld;
let logged: MockInstance;
beforeEach(() => {
  world = new OutboxWorld();
  logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/**
 * Delivers events to a sink that refuses some of them. Returns the events that the sink took, and whether the message comes
 * again.
 */
async function deliver(ids: readonly string[], ...refused: readonly string[]) {
  const taken: string[] = [];
  let calls = 0;
  const delivering = world.deliver(ids, async (events) => {
    calls++;
    const bad = events.find(({ id }) => refused.includes(id));
    if (bad !== undefined) throw new Error(`no ${bad.id}`);
    taken.push(...events.map(({ id }) => id));
  });
  const error = await delivering.catch((reason: unknown) => reason);
  return { taken, calls, error };
}

/** Lets the sweep announce an event until the event may be parked. */
async function age(): Promise<void> {
  for (let round = 0; round < PARKED_AFTER_ATTEMPTS; round++) {
    world.nowMs = (await world.outbox.sweep()) ?? 0;
  }
  await world.outbox.sweep();
}

describe("an event that is refused", () => {
  test("an event that is refused holds up the later ones of its key, and no others", async () => {
    for (const id of ["a1", "a2", "a3"]) await world.publish(id, "a");
    for (const id of ["b1", "b2"]) await world.publish(id, "b");
    await world.publish("c");
    const { taken, error } = await deliver(["a3", "b2", "c"], "a2");
    expect(taken).toEqual(["a1", "b1", "b2", "c"]);
    expect(error).toMatchObject({
      message: "the event a2 was refused",
      cause: { message: "no a2" },
    });
    expect(world.stored).toEqual(["a2", "a3"]);
    expect(await world.consume(["a3"])).toEqual(["a2", "a3"]);
  });

  test("an event that is refused costs few calls among many", async () => {
    const ids = Array.from({ length: 200 }, (_, index) => `e${index}`);
    for (const id of ids) await world.publish(id);
    const { taken, calls } = await deliver(ids, "e77");
    expect(taken).toHaveLength(199);
    expect(calls).toBeLessThan(20);
  });

  test("an event that is refused keeps no part of a large message from being read", async () => {
    for (let index = 0; index < 250; index++) await world.publish(`a${index}`, "a");
    await world.publish("b");
    expect((await deliver(["a249", "b"], "a0")).taken).toEqual(["b"]);
  });

  test("an event that is refused is parked after an hour: the later ones go on, and it comes again every hour", async () => {
    for (const id of ["a1", "a2", "b1"]) await world.publish(id, id.slice(0, 1));
    await age();
    expect(world.nowMs).toBeGreaterThan(Date.parse("2026-03-01T12:50:00Z"));
    expect(await deliver(["a2", "b1"], "a1")).toMatchObject({
      taken: ["a2", "b1"],
      error: undefined,
    });
    expect(world.stored).toEqual(["a1"]);
    const line: unknown = JSON.parse(String(logged.mock.lastCall?.[0]));
    expect(line).toMatchObject({
      message: "an event of the outbox is refused and is parked",
      event: "a1",
      type: "payments.SAVED_PAYMENT",
      error: "Error: no a1",
    });
    await world.publish("a3", "a");
    expect((await deliver(["a3"], "a1")).taken).toEqual(["a3"]);

    world.nowMs = (await world.outbox.sweep()) ?? 0;
    world.queue = [];
    const nextMs = await world.outbox.sweep();
    expect([world.queue, (nextMs ?? 0) - world.nowMs]).toEqual([[["a1"]], HOUR]);
    expect(await world.consume(["a1"])).toEqual(["a1"]);
    expect(await world.outbox.sweep()).toBeUndefined();
  });
});

test("an event that cannot be read is parked at once, and holds up nothing", async () => {
  for (const id of ["a1", "a2", "b1"]) await world.publish(id, id.slice(0, 1));
  world.d1.rows("UPDATE outbox SET event = '{' WHERE id = 'a1'");
  expect(await deliver(["a2", "b1"])).toMatchObject({ taken: ["a2", "b1"], error: undefined });
  expect(JSON.parse(String(logged.mock.lastCall?.[0]))).toMatchObject({
    message: "an event of the outbox cannot be read and is parked",
    event: "a1",
  });
  world.nowMs = (await world.outbox.sweep()) ?? 0;
  world.queue = [];
  const nextMs = await world.outbox.sweep();
  expect([world.stored, world.queue]).toEqual([["a1"], [["a1"]]]);
  expect((nextMs ?? 0) - world.nowMs).toBe(HOUR);
});

test("more ids than one statement names are delivered", async () => {
  const ids = Array.from({ length: 2500 }, (_, index) => `e${index}`);
  const events = ids.map((id) => ({ event: eventOf(id) }));
  for (let at = 0; at < 2500; at += 500) {
    await world.outbox.publish({ change: [], events: events.slice(at, at + 500) });
  }
  expect(await world.consume(ids)).toEqual(ids);
  expect(world.stored).toEqual([]);
});

test("a sink is offered nothing more when nobody waits for the delivery any more", async () => {
  for (const id of ["1", "2", "3", "4"]) await world.publish(id);
  const controller = new AbortController();
  const offered: string[][] = [];
  const delivering = world.deliver(
    ["1", "2", "3", "4"],
    async (events) => {
      offered.push(events.map(({ id }) => id));
      controller.abort(new Error("over"));
      throw new Error("refused");
    },
    controller.signal,
  );
  await expect(delivering).rejects.toThrow("over");
  expect(offered).toEqual([["1", "2", "3", "4"]]);
  expect(world.stored).toEqual(["1", "2", "3", "4"]);
});
