import { describe, expect, test } from "vitest";
import { DeliveryBench, eventFor, millisOf } from "#test/support/webhooks/deliveries.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const OVERDUE_AFTER = 15 * SECOND;
const CLAIM_TIME = 90 * SECOND;

describe("the sweep", () => {
  test("has nothing to do and no time to come back when nothing is under way", async () => {
    const bench = new DeliveryBench();
    const config = await bench.subscribe();
    await bench.publish(eventFor(config));
    await bench.pass(0);
    expect(await bench.service.sweep()).toBeUndefined();
    expect(bench.messages).toEqual([]);
  });

  test("sends a lost message again, and comes back until it has worked", async () => {
    const bench = new DeliveryBench();
    const config = await bench.subscribe();
    await bench.publish(eventFor(config));
    expect(bench.armedMs).toEqual([bench.nowMs + OVERDUE_AFTER]);
    bench.messages = [];

    bench.nowMs += OVERDUE_AFTER - 1;
    expect(await bench.service.sweep()).toBe(bench.nowMs + OVERDUE_AFTER);
    expect(bench.messages).toEqual([]); // too early: messages may take a moment

    bench.nowMs += 1;
    expect(await bench.service.sweep()).toBe(bench.nowMs + OVERDUE_AFTER);
    const { id } = await bench.deliveryOf(config.id);
    expect(bench.messages).toMatchObject([{ deliveryId: id, delaySeconds: 0 }]);
    await bench.pass(0);
    expect(bench.calls).toHaveLength(1);
    expect(await bench.service.sweep()).toBeUndefined();
  });

  test("sends what a queue that was out of order could not take", async () => {
    const bench = new DeliveryBench();
    const config = await bench.subscribe();
    bench.beforeSend = () => {
      throw new Error("queue is down");
    };
    await bench.publish(...Array.from({ length: 1500 }, () => eventFor(config)));
    bench.beforeSend = () => undefined;
    bench.nowMs += OVERDUE_AFTER;
    await bench.service.sweep();
    expect(new Set(bench.messages.map(({ deliveryId }) => deliveryId)).size).toBe(1500);
    const ids = (await bench.deliveriesOf(config.id)).map(({ id }) => id);
    await bench.service.deliver(ids);
    expect(bench.calls).toHaveLength(1500);
  });

  test("comes back for a retry no later than a while after it is due", async () => {
    const bench = new DeliveryBench();
    const config = await bench.subscribe();
    bench.respond = () => new Response(null, { status: 500 });
    await bench.publish(eventFor(config));
    await bench.pass(0);
    const { next_attempt_at: next } = await bench.deliveryOf(config.id);
    expect(bench.armedMs).toContain(millisOf(next) + OVERDUE_AFTER);
    expect(await bench.service.sweep()).toBe(millisOf(next) + OVERDUE_AFTER);
    bench.messages = [];
    bench.nowMs += MINUTE + OVERDUE_AFTER;
    await bench.service.sweep();
    bench.respond = () => new Response();
    await bench.pass(0);
    expect(await bench.deliveryOf(config.id)).toMatchObject({ status: "succeeded" });
  });

  test("sets the alarm again for events that were stored before a crash", async () => {
    const bench = new DeliveryBench();
    const config = await bench.subscribe();
    const event = eventFor(config);
    await bench.publish(event);
    bench.messages = [];
    bench.armedMs.length = 0;
    await bench.publish(event);
    expect(bench.messages).toEqual([]);
    expect(bench.armedMs).toEqual([bench.nowMs + OVERDUE_AFTER]);
  });
});

describe("a claim whose holder does not come back", () => {
  test("is given up after its time, and a late result of its holder is dropped", async () => {
    const bench = new DeliveryBench();
    const config = await bench.subscribe();
    const { promise: hang, resolve: release } = Promise.withResolvers<void>();
    const { promise: called, resolve: hasCalled } = Promise.withResolvers<void>();
    bench.respond = async () => {
      hasCalled();
      await hang;
      return new Response(null, { status: 404 });
    };
    await bench.publish(eventFor(config));
    const first = bench.pass(0);
    await called;
    expect(await bench.service.sweep()).toBe(bench.nowMs + CLAIM_TIME);

    bench.nowMs += CLAIM_TIME;
    await bench.service.sweep();
    const released = await bench.deliveryOf(config.id);
    expect(released).toMatchObject({ status: "pending", attempt_count: 0, claimed_at: null });
    expect(millisOf(released.next_attempt_at)).toBe(bench.nowMs);
    bench.respond = () => new Response();
    await bench.pass(0);
    release();
    await first;

    expect(await bench.deliveryOf(config.id)).toMatchObject({
      status: "succeeded",
      attempt_count: 1,
      last_status_code: 200,
    });
    expect(await bench.attemptsOf(released.id)).toMatchObject([{ outcome: "succeeded" }]);
    expect(bench.calls.map(({ headers }) => headers.get("formance-webhook-id"))).toEqual([
      released.id,
      released.id,
    ]);
  });

  test("is cancelled when its config was deactivated", async () => {
    const bench = new DeliveryBench();
    const config = await bench.subscribe();
    const { promise: hang, resolve: release } = Promise.withResolvers<void>();
    const { promise: called, resolve: hasCalled } = Promise.withResolvers<void>();
    bench.respond = async () => {
      hasCalled();
      await hang;
      return new Response();
    };
    await bench.publish(eventFor(config));
    const first = bench.pass(0);
    await called;
    await bench.service.setActive(config.id, false);
    expect(await bench.deliveryOf(config.id)).toMatchObject({ status: "delivering" });
    bench.nowMs += CLAIM_TIME;
    expect(await bench.service.sweep()).toBeUndefined();
    expect(await bench.deliveryOf(config.id)).toMatchObject({
      status: "cancelled",
      next_attempt_at: null,
      claimed_at: null,
    });
    release();
    await first;
    expect(await bench.deliveryOf(config.id)).toMatchObject({ status: "cancelled" });
  });
});
