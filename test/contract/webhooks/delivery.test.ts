import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { LedgerEvents } from "#modules/ledger/ledger-events.ts";
import { toWrittenPayload } from "#modules/webhooks/calls/payload.ts";
import { SigningSecret } from "#modules/webhooks/calls/signature.ts";
import { deactivateFailing } from "#modules/webhooks/configs/deactivation.ts";
import { LaneSpecs } from "#modules/webhooks/configs/lane-specs.ts";
import { webhookListener } from "#modules/webhooks/fan-out/event-listener.ts";
import { present } from "#platform/assert.ts";
import { systemContext } from "#platform/context.ts";
import type { EventsMessage } from "#platform/events/messages.ts";
import { freshLedger, okBodyOf, pay, post } from "#test/support/ledger/api.ts";
import { uuidOf } from "#test/support/ledger/buckets.ts";
import { freshName } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { EndpointBench, eventFor } from "#test/support/webhooks/deliveries.ts";

describe("an event", () => {
  test("an event is sent, signed, to each config that wants it and to no other", async () => {
    const bench = new EndpointBench();
    const one = await bench.subscribe();
    const two = await bench.subscribe(["other.type", ...one.eventTypes, ...one.eventTypes]);
    const other = await bench.subscribe();
    const event = eventFor(one, { payload: { amount: 10n ** 30n, id: 9_007_199_254_740_993n } });
    await bench.publish(event);

    for (const config of [one, two]) {
      const [delivery] = await bench.settled(config.id, "succeeded");
      expect(delivery).toMatchObject({
        eventId: event.id,
        eventType: one.eventTypes[0],
        attemptCount: 1,
        replayGeneration: 0,
        lastStatusCode: 200,
      });
      const [call, ...others] = bench.callsTo(config.endpoint);
      expect(others).toEqual([]);
      const { headers, body } = present(call, "the endpoint is called");
      expect(body).toBe(
        `{"idempotency_key":"","date":"2026-03-01T11:59:59Z","app":"ledger","version":"v2","type":"${one.eventTypes[0]}","payload":{"amount":1000000000000000000000000000000,"id":9007199254740993}}`,
      );
      const id = present(delivery, "there is one").id;
      const timestampSeconds = Number(headers.get("formance-webhook-timestamp"));
      const signed = new SigningSecret(config.secret).sign({ id, timestampSeconds, body });
      expect(Object.fromEntries(headers)).toMatchObject({
        "content-type": "application/json",
        "formance-webhook-id": id,
        "formance-webhook-test": "false",
        "formance-webhook-signature": signed.reference,
      });
      expect(headers.has("formance-webhook-idempotency-key")).toBe(false);
      expect(Math.abs(timestampSeconds * 1000 - Date.now())).toBeLessThan(300_000);
      expect((await bench.deliveries.attempts(id, { limit: 10 })).data).toMatchObject([
        { number: 1, endpoint: config.endpoint, statusCode: 200, responseExcerpt: "ok" },
      ]);
    }
    expect(bench.callsTo(other.endpoint)).toEqual([]);
  });

  test("an event that is published again makes no second delivery, and is stored once for all", async () => {
    const bench = new EndpointBench();
    const config = await bench.subscribe();
    const other = await bench.subscribe(config.eventTypes);
    const event = eventFor(config);
    await bench.publish(event, event);
    await bench.publish(event);
    await bench.settled(config.id, "succeeded");
    await bench.settled(other.id, "succeeded");
    await bench.publish(event);
    expect(await bench.deliveriesOf(config.id)).toHaveLength(1);
    expect(bench.callsTo(config.endpoint)).toHaveLength(1);
    const stored = env.DB.prepare("SELECT count(*) AS n FROM webhook_payloads WHERE event_id = ?");
    expect(await stored.bind(event.id).first("n")).toBe(1);
  });

  test("an event carries its idempotency key", async () => {
    const bench = new EndpointBench();
    const config = await bench.subscribe();
    await bench.publish(eventFor(config, { idempotencyKey: "payment-1" }));
    await bench.settled(config.id, "succeeded");
    expect(bench.calls[0]?.headers.get("formance-webhook-idempotency-key")).toBe("payment-1");
  });

  test("an event of almost a megabyte arrives byte for byte", async () => {
    const bench = new EndpointBench();
    const config = await bench.subscribe();
    const note = '"\\é'.repeat(100_000);
    await bench.publish(eventFor(config, { payload: { note } }));
    const [delivery] = await bench.settled(config.id, "succeeded");
    const { body } = await bench.deliveries.get(delivery?.id ?? "");
    expect(bench.calls[0]?.body).toBe(body);
    expect(JSON.parse(body ?? "")).toMatchObject({ payload: { note } });
  });

  test("an event of a ledger is read from its log again when it is attempted again", async () => {
    const bench = new EndpointBench();
    const config = await bench.subscribe(["ledger.committed_transactions"]);
    bench.respond = () => new Response("no", { status: 410 });
    const ledger = await freshLedger();
    await okBodyOf(post(ledger, pay("world -> a", 10n ** 20n)));
    const [failed] = await eventually(async () => {
      const found = (await bench.deliveriesOf(config.id)).filter(
        ({ status }) => status === "failed",
      );
      expect(found.length).toBeGreaterThan(0);
      return found;
    });
    const id = present(failed, "it has failed").id;
    bench.respond = () => new Response("yes");
    await bench.deliveries.replay(id, freshName("key"));
    await eventually(async () => {
      expect((await bench.deliveries.get(id)).delivery.status).toBe("succeeded");
    });
    const [first, again] = bench.calls.filter(
      (call) => call.headers.get("formance-webhook-id") === id,
    );
    expect(again?.body).toBe(first?.body);
    expect(first?.body).toContain('"amount":100000000000000000000');
  });

  test("an event of a message with many entries is read from the log when its turn comes", async () => {
    const ledger = await freshLedger();
    await okBodyOf(post(ledger, pay("world -> a", 10n ** 20n)));
    const bench = new EndpointBench();
    const config = await bench.subscribe(["ledger.committed_transactions"]);
    const origin = { ledger, uuid: await uuidOf(ledger) };
    const open = (...messages: EventsMessage[]) =>
      webhookListener.open(messages, systemContext(env, "test"));
    const entries = (to: number) => ({ source: "ledger", ...origin, from: 1, to }) as const;
    expect(await open(entries(500))).toHaveProperty("isBare", false);
    const outbox = { source: "outbox", ids: ["e"] } as const;
    expect(await open(entries(501), outbox)).toHaveProperty("isBare", false);
    const sink = await open(entries(501));
    expect(sink).toHaveProperty("isBare", true);
    const source = new LedgerEvents(env);
    const { events } = await source.readBare(origin, 1, 501);
    await sink?.(events, entries(1));
    await bench.settled(config.id, "succeeded");
    const { events: written } = await source.reread(origin, 1, 1);
    expect(bench.callsTo(config.endpoint).map(({ body }) => body)).toEqual(
      written.map(toWrittenPayload),
    );
    expect(bench.callsTo(config.endpoint)[0]?.body).toContain('"amount":100000000000000000000');
  });

  test("an event for an inactive or deleted config is not stored", async () => {
    const bench = new EndpointBench();
    const inactive = await bench.subscribe();
    const deleted = await bench.subscribe(inactive.eventTypes);
    await bench.configs.setActive(inactive.id, false);
    await bench.configs.deleteConfig(deleted.id);
    await bench.publish(eventFor(inactive));
    expect(await bench.deliveriesOf(inactive.id)).toEqual([]);
    expect(await bench.deliveriesOf(deleted.id)).toEqual([]);
  });
});

describe("a config", () => {
  test("a webhook config that is deactivated cancels what is pending, which cannot be replayed then", async () => {
    const bench = new EndpointBench();
    const config = await bench.subscribe();
    bench.respond = () => new Response("busy", { status: 503 });
    await bench.publish(eventFor(config));
    await eventually(async () => {
      expect(await bench.deliveriesOf(config.id)).toMatchObject([
        { status: "pending", attemptCount: 1 },
      ]);
    });
    await bench.configs.setActive(config.id, false);
    const [delivery] = await bench.settled(config.id, "cancelled");
    await bench.configs.setActive(config.id, true);
    expect(await bench.deliveriesOf(config.id)).toMatchObject([{ status: "cancelled" }]);
    const replay = bench.deliveries.replay(delivery?.id ?? "", freshName("key"));
    await expect(replay).rejects.toMatchObject({ kind: "CONFLICT" });
  });

  test("a webhook config that is deleted keeps its deliveries in the list", async () => {
    const bench = new EndpointBench();
    const config = await bench.subscribe();
    await bench.publish(eventFor(config));
    await bench.settled(config.id, "succeeded");
    await bench.configs.deleteConfig(config.id);
    expect(await bench.deliveriesOf(config.id)).toMatchObject([{ status: "succeeded" }]);
  });

  test("a webhook config that is deleted without deliveries is gone for good", async () => {
    const bench = new EndpointBench();
    const config = await bench.subscribe();
    await bench.configs.deleteConfig(config.id);
    const rows = env.DB.prepare("SELECT count(*) AS n FROM webhook_configs WHERE id = ?");
    await eventually(async () => expect(await rows.bind(config.id).first("n")).toBe(0));
  });

  test("a webhook config whose endpoint fails for too long is deactivated, and what was pending can be replayed", async () => {
    const bench = new EndpointBench();
    const config = await bench.subscribe();
    const watcher = await bench.subscribe(["webhooks.deactivated_config"]);
    bench.respond = ({ url }) =>
      new Response("no", { status: url === config.endpoint ? 503 : 200 });
    await bench.publish(eventFor(config));
    await eventually(async () => {
      expect(await bench.deliveriesOf(config.id)).toMatchObject([{ attemptCount: 1 }]);
    });
    const stub = env.ENDPOINTS.getByName(config.id);
    await deactivate(config.id);
    const [failed] = await bench.settled(config.id, "failed");
    expect(failed?.lastError).toContain("deactivated");
    expect(await bench.configs.listConfigs({ id: config.id })).toMatchObject([{ active: false }]);
    await eventually(() => {
      const [call] = bench.callsTo(watcher.endpoint);
      expect(JSON.parse(present(call, "the event comes").body)).toMatchObject({
        type: "webhooks.deactivated_config",
        payload: { configId: config.id, endpoint: config.endpoint },
      });
    });
    bench.respond = () => new Response("ok");
    await bench.configs.setActive(config.id, true);
    await bench.deliveries.replay(failed?.id ?? "", freshName("key"));
    await bench.settled(config.id, "succeeded");
    expect(await stub.list({ order: "desc", limit: 1 })).toMatchObject([{ replayGeneration: 1 }]);
  });
});

/** Deactivates a config, as its lane does when the endpoint has failed for long enough. */
async function deactivate(configId: string): Promise<void> {
  const spec = await LaneSpecs.from(env).find(configId);
  await deactivateFailing(present(spec, "the config is there"), systemContext(env, "test"));
}
