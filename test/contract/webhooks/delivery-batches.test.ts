import { describe, expect, test } from "vitest";
import { eventually } from "#test/support/platform/eventually.ts";
import { DeliveryBench, eventFor } from "#test/support/webhooks/deliveries.ts";

const SECOND = 1000;

describe("a batch", () => {
  test("is claimed once, however many consumers want it", async () => {
    const bench = new DeliveryBench();
    const config = await bench.subscribe();
    await bench.publish(...Array.from({ length: 40 }, () => eventFor(config)));
    const ids = bench.messages.map(({ deliveryId }) => deliveryId);
    await Promise.all([
      bench.service.deliver(ids),
      bench.service.deliver(ids.toReversed()),
      bench.service.deliver([...ids, ...ids]),
    ]);
    expect(bench.calls).toHaveLength(40);
    expect(new Set(bench.calls.map(({ headers }) => headers.get("formance-webhook-id"))).size).toBe(
      40,
    );
  });

  test("stores what is done while one endpoint still hangs", async () => {
    const bench = new DeliveryBench();
    const slow = await bench.subscribe();
    const fast = await bench.subscribe(slow.eventTypes);
    const { promise: hang, resolve: release } = Promise.withResolvers<void>();
    bench.respond = async ({ url }) => {
      if (url === slow.endpoint) await hang;
      return new Response();
    };
    await bench.publish(...Array.from({ length: 20 }, () => eventFor(slow)));
    const passing = bench.pass(0);
    await eventually(async () => {
      const rows = await bench.deliveriesOf(fast.id);
      expect(rows.every(({ status }) => status === "succeeded")).toBe(true);
    });
    expect(bench.callsTo(fast.endpoint)).toHaveLength(20);
    const slowRows = await bench.deliveriesOf(slow.id);
    expect(slowRows.every(({ status }) => status === "delivering")).toBe(true);
    release();
    await passing;
    expect(bench.callsTo(slow.endpoint)).toHaveLength(20);
  });

  test("returns what it has not begun in time", async () => {
    const bench = new DeliveryBench();
    const config = await bench.subscribe();
    bench.respond = () => {
      bench.nowMs += 3 * SECOND;
      return new Response();
    };
    await bench.publish(...Array.from({ length: 30 }, () => eventFor(config)));
    await bench.pass(0);
    const rows = await bench.deliveriesOf(config.id);
    const left = rows.filter(({ status }) => status === "pending");
    expect(left.length).toBeGreaterThan(15);
    expect(left.every((row) => row.attempt_count === 0 && row.claimed_at === null)).toBe(true);
    expect(new Set(bench.messages.map(({ deliveryId }) => deliveryId))).toEqual(
      new Set(left.map(({ id }) => id)),
    );
    bench.respond = () => new Response();
    await bench.pass(0);
    expect(new Set((await bench.deliveriesOf(config.id)).map(({ status }) => status))).toEqual(
      new Set(["succeeded"]),
    );
    expect(bench.calls).toHaveLength(30);
  });
});
