import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { signatureHeaders } from "#modules/webhooks/signature.ts";
import { present } from "#platform/assert.ts";
import { DeliveryBench, eventFor, millisOf } from "#test/support/webhooks/deliveries.ts";

const SECOND = 1000;

const MINUTE = 60 * SECOND;

const HOUR = 60 * MINUTE;

const failing =
  (status: number, headers = {}) =>
  (): Response =>
    new Response("sorry", { status, headers });

describe("an event", () => {
  test("is sent, signed, to each config that wants it and to no other", async () => {
    const bench = new DeliveryBench();
    const one = await bench.subscribe();
    const two = await bench.subscribe(["other.type", ...one.eventTypes, ...one.eventTypes]);
    const other = await bench.subscribe();
    const event = eventFor(one, { payload: { amount: 10n ** 30n, id: 9_007_199_254_740_993n } });
    await bench.publish(event);
    await bench.pass(0);

    expect(bench.callsTo(other.endpoint)).toEqual([]);
    for (const config of [one, two]) {
      const [call, ...others] = bench.callsTo(config.endpoint);
      expect(others).toEqual([]);
      const { headers, body } = present(call, "the endpoint is called");
      expect(body).toBe(
        `{"idempotency_key":"","date":"2026-03-01T11:59:59Z","app":"ledger","version":"v2","type":"${one.eventTypes[0]}","payload":{"amount":1000000000000000000000000000000,"id":9007199254740993}}`,
      );
      const row = await bench.deliveryOf(config.id);
      expect(row).toMatchObject({
        event_id: event.id,
        event_type: one.eventTypes[0],
        payload: body,
        status: "succeeded",
        attempt_count: 1,
        replay_generation: 0,
        next_attempt_at: null,
        claimed_at: null,
        last_status_code: 200,
        last_error: null,
      });
      const timestampSeconds = bench.nowMs / 1000;
      expect(Object.fromEntries(headers)).toMatchObject({
        "content-type": "application/json",
        "formance-webhook-id": row.id,
        "formance-webhook-timestamp": String(timestampSeconds),
        "formance-webhook-test": "false",
        ...signatureHeaders([config.secret], { id: row.id, timestampSeconds, body }),
      });
      expect(headers.has("formance-webhook-idempotency-key")).toBe(false);
      expect(await bench.attemptsOf(row.id)).toMatchObject([
        {
          attempt_number: 1,
          replay_generation: 0,
          endpoint: config.endpoint,
          outcome: "succeeded",
          status_code: 200,
          error: null,
          response_excerpt: "ok",
        },
      ]);
    }
  });

  test("that is published again makes no second delivery", async () => {
    const bench = new DeliveryBench();
    const config = await bench.subscribe();
    const event = eventFor(config);
    await bench.publish(event, event);
    await bench.publish(event);
    expect(bench.messages).toHaveLength(1);
    await bench.pass(0);
    await bench.publish(event);
    await bench.pass(0);
    expect(bench.callsTo(config.endpoint)).toHaveLength(1);
    expect(await bench.deliveriesOf(config.id)).toHaveLength(1);
  });

  test("carries its idempotency key", async () => {
    const bench = new DeliveryBench();
    const config = await bench.subscribe();
    await bench.publish(eventFor(config, { idempotencyKey: "payment-1" }));
    await bench.pass(0);
    expect(bench.calls[0]?.headers.get("formance-webhook-idempotency-key")).toBe("payment-1");
    expect(await bench.deliveryOf(config.id)).toMatchObject({ idempotency_key: "payment-1" });
  });

  test("of almost a megabyte arrives byte for byte", async () => {
    const bench = new DeliveryBench();
    const config = await bench.subscribe();
    // Quotes take two bytes when they are written into JSON once more.
    const note = '"\\é'.repeat(150_000);
    const events = [eventFor(config, { payload: { note } }), eventFor(config)];
    await bench.publish(...events);
    await bench.pass(0);
    expect(bench.calls.map(({ body }) => body.length).toSorted((a, b) => b - a)[0]).toBeGreaterThan(
      700_000,
    );
    for (const row of await bench.deliveriesOf(config.id)) {
      expect(row.status).toBe("succeeded");
      expect(bench.calls.some(({ body }) => body === row.payload)).toBe(true);
    }
    const large = bench.calls.find(({ body }) => body.length > 1000);
    expect(JSON.parse(present(large, "it was sent").body)).toMatchObject({ payload: { note } });
  });

  test("for an inactive or deleted config is not stored", async () => {
    const bench = new DeliveryBench();
    const inactive = await bench.subscribe();
    const deleted = await bench.subscribe(inactive.eventTypes);
    const subscriptions = await bench.service.listSubscriptions();
    await bench.service.setActive(inactive.id, false);
    await bench.service.deleteConfig(deleted.id);
    await bench.publish(eventFor(inactive));
    // The same holds with subscriptions that were read before.
    await bench.service.fanOut([eventFor(inactive)], subscriptions);
    expect(await bench.deliveriesOf(inactive.id)).toEqual([]);
    expect(await bench.deliveriesOf(deleted.id)).toEqual([]);
    expect(bench.messages).toEqual([]);
  });

  test("among thousands is announced in calls that the queue takes, and all arrive", async () => {
    const bench = new DeliveryBench();
    const config = await bench.subscribe();
    await bench.publish(...Array.from({ length: 2050 }, () => eventFor(config)));
    expect(bench.sendSizes).toEqual([...Array<number>(20).fill(100), 50]);
    const messages = bench.messages.map(({ deliveryId }) => deliveryId);
    for (let index = 0; index < messages.length; index += 100) {
      await bench.service.deliver(messages.slice(index, index + 100));
    }
    expect(new Set(bench.calls.map(({ headers }) => headers.get("formance-webhook-id")))).toEqual(
      new Set(messages),
    );
    const rows = await bench.deliveriesOf(config.id);
    expect(rows).toHaveLength(2050);
    expect(rows.every(({ status }) => status === "succeeded")).toBe(true);
  });
});

describe("a failed attempt", () => {
  test("is repeated after the backoff with the same id and bytes, and a new signature", async () => {
    const bench = new DeliveryBench();
    const config = await bench.subscribe();
    bench.respond = failing(500);
    await bench.publish(eventFor(config));
    await bench.pass(0);
    const firstMs = bench.nowMs;
    const pending = await bench.deliveryOf(config.id);
    expect(pending).toMatchObject({
      status: "pending",
      attempt_count: 1,
      claimed_at: null,
      last_status_code: 500,
    });
    expect(millisOf(pending.next_attempt_at)).toBe(firstMs + MINUTE);
    expect(bench.messages).toMatchObject([{ deliveryId: pending.id, delaySeconds: 60 }]);

    await bench.service.deliver([pending.id]);
    expect(bench.calls).toHaveLength(1); // the next attempt is not due yet

    bench.respond = () => new Response(null, { status: 204 });
    await bench.pass(MINUTE);
    expect(await bench.deliveryOf(config.id)).toMatchObject({
      status: "succeeded",
      attempt_count: 2,
      last_status_code: 204,
    });
    const [first, second] = bench.calls;
    expect(second?.body).toBe(first?.body);
    expect(second?.headers.get("formance-webhook-id")).toBe(pending.id);
    for (const header of ["formance-webhook-timestamp", "formance-webhook-signature"]) {
      expect(second?.headers.get(header)).not.toBe(first?.headers.get(header));
    }
    expect(await bench.attemptsOf(pending.id)).toMatchObject([
      {
        attempt_number: 1,
        outcome: "retryable_failure",
        status_code: 500,
        response_excerpt: "sorry",
      },
      { attempt_number: 2, outcome: "succeeded", status_code: 204, response_excerpt: null },
    ]);
  });

  test("follows the schedule until the budget is spent", async () => {
    const bench = new DeliveryBench();
    const config = await bench.subscribe();
    bench.respond = failing(503);
    await bench.publish(eventFor(config));
    const startMs = bench.nowMs;
    for (let minute = 0; minute <= 700; minute++) await bench.pass(minute === 0 ? 0 : MINUTE);
    const minutes = bench.calls.map(({ atMs }) => (atMs - startMs) / MINUTE);
    expect(minutes).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183, 243, 303, 363, 423, 483, 543]);
    const row = await bench.deliveryOf(config.id);
    expect(row).toMatchObject({ status: "failed", attempt_count: 15, next_attempt_at: null });
    const attempts = await bench.attemptsOf(row.id);
    expect(attempts.map(({ outcome }) => outcome)).toEqual([
      ...Array<string>(14).fill("retryable_failure"),
      "permanent_failure",
    ]);
  });

  test("with a permanent status is not repeated", async () => {
    const bench = new DeliveryBench();
    const config = await bench.subscribe();
    bench.respond = failing(404);
    await bench.publish(eventFor(config));
    await bench.pass(0);
    const row = await bench.deliveryOf(config.id);
    expect(row).toMatchObject({ status: "failed", attempt_count: 1, last_status_code: 404 });
    expect(await bench.attemptsOf(row.id)).toMatchObject([{ outcome: "permanent_failure" }]);
    expect(bench.messages).toEqual([]);
    await bench.pass(HOUR);
    expect(bench.calls).toHaveLength(1);
  });

  test("without an answer is kept with the reason", async () => {
    const bench = new DeliveryBench();
    const config = await bench.subscribe();
    bench.respond = () => Promise.reject(new Error("connection refused"));
    await bench.publish(eventFor(config));
    await bench.pass(0);
    const row = await bench.deliveryOf(config.id);
    expect(row).toMatchObject({
      status: "pending",
      last_status_code: null,
      last_error: "connection refused",
    });
    expect(await bench.attemptsOf(row.id)).toMatchObject([
      { outcome: "retryable_failure", status_code: 0, error: "connection refused" },
    ]);
  });

  test("waits as long as the endpoint asks", async () => {
    const bench = new DeliveryBench();
    const config = await bench.subscribe();
    bench.respond = failing(429, { "retry-after": "600" });
    await bench.publish(eventFor(config));
    await bench.pass(0);
    const { next_attempt_at: next } = await bench.deliveryOf(config.id);
    expect(millisOf(next)).toBe(bench.nowMs + 10 * MINUTE);
  });

  test("beyond what a message can wait is left to the clock", async () => {
    const day = 24 * HOUR;
    const bench = new DeliveryBench({
      FLORIN_WEBHOOK_RETRY_MIN_BACKOFF: "48h",
      FLORIN_WEBHOOK_RETRY_MAX_BACKOFF: "48h",
      FLORIN_WEBHOOK_RETRY_ABORT_AFTER: "200h",
    });
    const config = await bench.subscribe();
    bench.respond = failing(500);
    await bench.publish(eventFor(config));
    await bench.pass(0);
    expect(bench.messages).toEqual([]);
    expect(bench.armedMs.at(-1)).toBe(bench.nowMs + 2 * day + 15 * SECOND);
    await bench.pass(2 * day + 15 * SECOND);
    await bench.service.sweep();
    await bench.pass(0);
    expect(bench.calls).toHaveLength(2);
  });

  test("is the last one if the window has passed meanwhile", async () => {
    const bench = new DeliveryBench();
    const config = await bench.subscribe();
    bench.respond = failing(500);
    await bench.publish(eventFor(config));
    await bench.pass(0);
    await bench.pass(11 * HOUR);
    const row = await bench.deliveryOf(config.id);
    expect(row).toMatchObject({
      status: "failed",
      attempt_count: 1,
      last_status_code: 500,
      last_error: "max attempts reached",
    });
    expect(bench.calls).toHaveLength(1);
    expect(await bench.attemptsOf(row.id)).toHaveLength(1);
  });
});

describe("a config that changes while deliveries wait", () => {
  test("is read when the attempt is made", async () => {
    const bench = new DeliveryBench();
    const config = await bench.subscribe();
    bench.respond = failing(500);
    await bench.publish(eventFor(config));
    await bench.pass(0);
    const endpoint = `${config.endpoint}/new`;
    const secret = btoa("x".repeat(24));
    const { eventTypes, name } = config;
    await bench.service.updateConfig(config.id, { endpoint, secret, eventTypes, name });
    bench.respond = () => new Response();
    await bench.pass(MINUTE);
    const [call] = bench.callsTo(endpoint);
    const { headers, body } = present(call, "the new endpoint is called");
    const id = present(headers.get("formance-webhook-id"), "it is sent");
    const message = { id, timestampSeconds: bench.nowMs / 1000, body };
    expect(Object.fromEntries(headers)).toMatchObject(
      signatureHeaders([secret, config.secret], message),
    );
  });

  test.each(["deactivated", "deleted"])("is %s: what waits is cancelled for good", async (how) => {
    const bench = new DeliveryBench();
    const config = await bench.subscribe();
    await bench.publish(eventFor(config));
    if (how === "deleted") await bench.service.deleteConfig(config.id);
    else await bench.service.setActive(config.id, false);
    expect(await bench.deliveryOf(config.id)).toMatchObject({
      status: "cancelled",
      next_attempt_at: null,
    });
    if (how === "deactivated") await bench.service.setActive(config.id, true);
    await bench.pass(0);
    expect(bench.calls).toEqual([]);
  });

  test.each([
    [200, "succeeded"],
    [500, "cancelled"],
    [404, "cancelled"],
  ])("is deactivated during a call that ends with %i: %s", async (status, expected) => {
    const bench = new DeliveryBench();
    const config = await bench.subscribe();
    bench.respond = async () => {
      await bench.service.setActive(config.id, false);
      return new Response(null, { status });
    };
    await bench.publish(eventFor(config));
    await bench.pass(0);
    const row = await bench.deliveryOf(config.id);
    expect(row).toMatchObject({ status: expected, next_attempt_at: null, claimed_at: null });
    expect(await bench.attemptsOf(row.id)).toHaveLength(1);
    expect(bench.messages).toEqual([]);
  });

  test("is gone between claim and call: the delivery is cancelled without a call", async () => {
    const bench = new DeliveryBench();
    const config = await bench.subscribe();
    await bench.publish(eventFor(config));
    // The service itself would have cancelled the delivery.
    await env.DB.prepare("UPDATE webhook_configs SET active = 0 WHERE id = ?")
      .bind(config.id)
      .run();
    await bench.pass(0);
    const row = await bench.deliveryOf(config.id);
    expect(row).toMatchObject({ status: "cancelled", attempt_count: 0 });
    expect(bench.calls).toEqual([]);
  });
});
