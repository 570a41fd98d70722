import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { PayloadStore } from "#modules/webhooks/bodies/payload-store.ts";
import { ConfigStore } from "#modules/webhooks/configs/config-store.ts";
import { LaneSpecs } from "#modules/webhooks/configs/lane-specs.ts";
import { OwedBatches } from "#modules/webhooks/fan-out/owed-batches.ts";
import { present } from "#platform/assert.ts";
import { systemContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { freshName } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { evict } from "#test/support/platform/evict.ts";
import { EndpointBench, eventFor } from "#test/support/webhooks/deliveries.ts";

const HOUR_MS = 3_600_000;

const specOf = async (id: string) =>
  present(await LaneSpecs.from(env).find(id), "the config is there");

/** Makes the object forget everything, as if it had never been called. */
async function wipe(id: string): Promise<void> {
  const object = env.ENDPOINTS.getByName(id);
  await runInDurableObject(object, async (_, { storage }) => {
    await storage.deleteAlarm();
    await storage.deleteAll();
  });
  await evict(object);
}

const tablesOf = (id: string): Promise<number> =>
  runInDurableObject(
    env.ENDPOINTS.getByName(id),
    (_, { storage }) =>
      storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'lane'").toArray().length,
  );

const rowsOf = (id: string) =>
  env.DB.prepare("SELECT count(*) AS n FROM webhook_configs WHERE id = ?").bind(id).first("n");

describe("an event that comes before its config", () => {
  test("an event that comes before its config is delivered by an object that does not know of the config yet", async () => {
    const bench = new EndpointBench();
    const config = await bench.subscribe();
    await wipe(config.id);
    await bench.publish(eventFor(config), eventFor(config));
    expect(await bench.settled(config.id, "succeeded", 2)).toHaveLength(2);
  });

  test("an event that comes before its config is delivered by an object that does not know yet that the config is active", async () => {
    const bench = new EndpointBench();
    const config = await bench.subscribe();
    await bench.configs.setActive(config.id, false);
    await env.DB.prepare(
      "UPDATE webhook_configs SET active = 1, revision = revision + 1 WHERE id = ?",
    )
      .bind(config.id)
      .run();
    await bench.publish(eventFor(config));
    expect(await bench.settled(config.id, "succeeded")).toHaveLength(1);
  });

  test("an event that comes before its config is not delivered where the object knows that the config is inactive by now", async () => {
    const bench = new EndpointBench();
    const config = await bench.subscribe();
    const spec = await specOf(config.id);
    await bench.configs.setActive(config.id, false);
    const event = { position: freshName("e"), eventType: "a.b", idempotencyKey: "", body: "{}" };
    const batch = { origin: { source: "outbox" }, events: [event] } as const;
    expect(await env.ENDPOINTS.getByName(config.id).accept(batch, spec)).toBe(false);
    expect(await bench.deliveriesOf(config.id)).toEqual([]);
  });
});

describe("a config that is gone", () => {
  test("a webhook config that is gone is not brought back by a call that comes late", async () => {
    const bench = new EndpointBench();
    const config = await bench.subscribe();
    const spec = await specOf(config.id);
    await bench.configs.deleteConfig(config.id);
    await eventually(async () => expect(await rowsOf(config.id)).toBe(0));
    const object = env.ENDPOINTS.getByName(config.id);
    await object.configure(spec);
    expect(await object.accept({ origin: { source: "outbox" }, events: [] }, spec)).toBe(false);
    expect(await tablesOf(config.id)).toBe(0);
  });

  test("a webhook config that is gone counts no longer, also where its object never knew of it", async () => {
    const bench = new EndpointBench();
    const config = await bench.subscribe();
    await wipe(config.id);
    await bench.configs.deleteConfig(config.id);
    await eventually(async () => expect(await rowsOf(config.id)).toBe(0));
    expect(await tablesOf(config.id)).toBe(0);
  });
});

describe("what was pending when a config was deactivated", () => {
  /** Deactivates and activates a config in the database. Its object learns only that the config is active. */
  const switchUnseen = (id: string, hasFailed: boolean) =>
    env.DB.prepare(
      `UPDATE webhook_configs SET ended_revision = revision + 1, revision = revision + 2, has_failed = ? WHERE id = ?`,
    )
      .bind(hasFailed ? 1 : 0, id)
      .run();

  test.each([
    ["is cancelled", false, "cancelled"],
    ["has failed where its endpoint had", true, "failed"],
  ])(
    "a delivery that waited when its config was deactivated %s, also where its object was not told",
    async (_what, hasFailed, status) => {
      const bench = new EndpointBench();
      const config = await bench.subscribe();
      bench.respond = () => new Response("busy", { status: 503 });
      await bench.publish(eventFor(config), eventFor(config));
      await eventually(async () => {
        const pending = { status: "pending", attemptCount: 1 };
        expect(await bench.deliveriesOf(config.id)).toMatchObject([pending, pending]);
      });
      bench.respond = () => new Response("ok");
      await switchUnseen(config.id, hasFailed);
      const event = eventFor(config);
      await bench.publish(event);
      await eventually(async () => {
        expect(await bench.deliveriesOf(config.id)).toMatchObject([
          { eventId: event.id, status: "succeeded" },
          { status },
          { status },
        ]);
      });
      expect(bench.callsTo(config.endpoint)).toHaveLength(3);
    },
  );

  test.each([
    ["ends if its call fails", 503, "cancelled"],
    ["stays if its call succeeds", 200, "succeeded"],
  ])(
    "a delivery that was under way when its config was deactivated %s, also when the config is active again",
    async (_what, code, status) => {
      const bench = new EndpointBench();
      const config = await bench.subscribe();
      const answer = Promise.withResolvers<Response>();
      bench.respond = () => answer.promise;
      await bench.publish(eventFor(config));
      await eventually(() => expect(bench.callsTo(config.endpoint)).toHaveLength(1));
      await bench.configs.setActive(config.id, false);
      await bench.configs.setActive(config.id, true);
      answer.resolve(new Response("late", { status: code }));
      expect(await bench.settled(config.id, status)).toMatchObject([{ attemptCount: 1 }]);
      expect(bench.callsTo(config.endpoint)).toHaveLength(1);
    },
  );
});

describe("events that an object does not take", () => {
  const owedTo = (id: string) =>
    env.DB.prepare("SELECT count(*) AS n FROM webhook_owed WHERE config_id = ?")
      .bind(id)
      .first("n");

  /** Runs the sweep when all batches that are owed to a config are due. */
  async function sweep(id: string): Promise<void> {
    await env.DB.prepare("UPDATE webhook_owed SET due_at = created_at WHERE config_id = ?")
      .bind(id)
      .run();
    await new OwedBatches(systemContext(env, "test")).sweep();
  }

  /** Two configs of one event type. The object of the first config takes no events until it is repaired. */
  async function withBroken() {
    vi.spyOn(console, "error").mockReturnValue();
    const bench = new EndpointBench();
    const broken = await bench.subscribe();
    const healthy = await bench.subscribe(broken.eventTypes);
    const object = env.ENDPOINTS.getByName(broken.id);
    const rename = (from: string, to: string) =>
      runInDurableObject(object, (_, { storage }) => {
        storage.sql.exec(`ALTER TABLE ${from} RENAME TO ${to}`);
      });
    await rename("received", "received_away");
    await rename("delivery", "delivery_away");
    const repair = async () => {
      await rename("received_away", "received");
      await rename("delivery_away", "delivery");
    };
    return { bench, broken, healthy, repair };
  }

  test("events that an object does not take are given to it later, and hold up no other", async () => {
    const { bench, broken, healthy, repair } = await withBroken();
    const event = eventFor(broken);
    await bench.publish(event);
    await bench.settled(healthy.id, "succeeded");
    expect(await owedTo(broken.id)).toBe(1);
    await sweep(broken.id);
    expect(await owedTo(broken.id)).toBe(1);
    await repair();
    await bench.publish(event);
    await sweep(broken.id);
    expect(await owedTo(broken.id)).toBe(0);
    const [delivery] = await bench.settled(broken.id, "succeeded");
    expect(delivery).toMatchObject({ eventId: event.id, attemptCount: 1 });
    expect(JSON.parse(bench.callsTo(broken.endpoint)[0]?.body ?? "")).toMatchObject({
      payload: { ledger: "default" },
    });
  });

  test("events that an object does not take are ended by a deactivation", async () => {
    const { bench, broken, repair } = await withBroken();
    await bench.publish(eventFor(broken));
    await repair();
    await bench.configs.setActive(broken.id, false);
    await bench.configs.setActive(broken.id, true);
    await sweep(broken.id);
    expect(await owedTo(broken.id)).toBe(0);
    expect(await bench.deliveriesOf(broken.id)).toEqual([]);
  });

  test("events that an object does not take end its config after a long time", async () => {
    const { bench, broken } = await withBroken();
    await bench.publish(eventFor(broken));
    await env.DB.prepare("UPDATE webhook_owed SET created_at = ? WHERE config_id = ?")
      .bind("2020-01-01T00:00:00.000000Z", broken.id)
      .run();
    await sweep(broken.id);
    expect(await bench.configs.listConfigs({ id: broken.id })).toMatchObject([{ active: false }]);
    await sweep(broken.id);
    expect(await owedTo(broken.id)).toBe(0);
  });
});

test("an alarm that was set before an eviction is not put off by one that is set afterwards", async () => {
  const bench = new EndpointBench();
  const config = await bench.subscribe();
  const spec = await specOf(config.id);
  await bench.configs.setActive(config.id, false);
  const object = env.ENDPOINTS.getByName(config.id);
  const atMs = Date.now() + HOUR_MS;
  await runInDurableObject(object, (_, { storage }) => storage.setAlarm(atMs));
  await evict(object);
  await object.accept({ origin: { source: "outbox" }, events: [] }, spec);
  expect(await runInDurableObject(object, (_, { storage }) => storage.getAlarm())).toBe(atMs);
});

test.each([
  { name: "is not done again by the first alarm after an eviction", agoMs: HOUR_MS, left: [1, 2] },
  { name: "is done a day after the last one", agoMs: 25 * HOUR_MS, left: [2] },
  { name: "is not put off by a clock that steps back", agoMs: -25 * HOUR_MS, left: [2] },
])("a purge $name", async ({ agoMs, left }) => {
  const bench = new EndpointBench();
  const config = await bench.subscribe();
  await bench.publish(eventFor(config), eventFor(config));
  await bench.settled(config.id, "succeeded", 2);
  const object = env.ENDPOINTS.getByName(config.id);
  await runInDurableObject(object, async (_, { storage }) => {
    storage.sql.exec("UPDATE delivery SET updated_ms = 0");
    storage.sql.exec("UPDATE lane SET purged_ms = ?", Date.now() - agoMs);
    await storage.setAlarm(Date.now() + HOUR_MS);
  });
  await evict(object);
  await runDurableObjectAlarm(object);
  const seqs = (await bench.deliveriesOf(config.id)).map(({ seq }) => seq);
  expect(seqs.toSorted((a, b) => a - b)).toEqual(left);
  const alarmMs = await runInDurableObject(object, (_, { storage }) => storage.getAlarm());
  expect(present(alarmMs, "the next purge is planned")).toBeGreaterThan(Date.now());
});

test("a deleted config is forgotten soon after D1 did not answer", async () => {
  vi.spyOn(console, "error").mockReturnValue();
  const bench = new EndpointBench();
  const config = await bench.subscribe();
  await bench.publish(eventFor(config));
  await bench.settled(config.id, "succeeded");
  await bench.configs.deleteConfig(config.id);
  const object = env.ENDPOINTS.getByName(config.id);
  await eventually(() =>
    runInDurableObject(object, (_, { storage }) => {
      const { spec } = storage.sql.exec<{ spec: string }>("SELECT spec FROM lane").one();
      expect(JSON.parse(spec)).toMatchObject({ isDeleted: true });
    }),
  );
  await runInDurableObject(object, async (_, { storage }) => {
    storage.sql.exec("UPDATE delivery SET updated_ms = 0");
    storage.sql.exec("UPDATE lane SET purged_ms = 0");
    await storage.setAlarm(Date.now() + HOUR_MS);
  });
  await evict(object);
  const forget = vi.spyOn(ConfigStore.prototype, "forget");
  onTestFinished(() => forget.mockRestore());
  forget.mockRejectedValueOnce(new AppError("OVERLOADED", "the database is busy"));
  await runDurableObjectAlarm(object);
  expect([await tablesOf(config.id), await rowsOf(config.id)]).toEqual([1, 1]);
  await runDurableObjectAlarm(object);
  expect([await tablesOf(config.id), await rowsOf(config.id)]).toEqual([0, 0]);
});

test("a replay is begun before its body is read", async () => {
  const bench = new EndpointBench();
  const config = await bench.subscribe();
  bench.respond = () => new Response("no", { status: 410 });
  await bench.publish(eventFor(config));
  await bench.settled(config.id, "failed");
  const object = env.ENDPOINTS.getByName(config.id);
  await runInDurableObject(object, (_, { storage }) => storage.deleteAlarm());
  await evict(object);
  const read = vi.spyOn(PayloadStore.prototype, "read");
  onTestFinished(() => read.mockRestore());
  read.mockRejectedValue(new AppError("OVERLOADED", "the database is busy"));
  const alarmOf = () => runInDurableObject(object, (_, { storage }) => storage.getAlarm());
  expect(await alarmOf()).toBeNull();
  expect(await object.replay(1, freshName("request"))).toMatchObject({ ok: false });
  expect(await alarmOf()).not.toBeNull();
});

test("the answer to a successful call is kept with a shorter excerpt than that to a failed one", async () => {
  const bench = new EndpointBench();
  const config = await bench.subscribe();
  bench.respond = () => new Response("é".repeat(10_000));
  await bench.publish(eventFor(config));
  const [succeeded] = await bench.settled(config.id, "succeeded");
  const excerptOf = async (id: string) =>
    (await bench.deliveries.attempts(id, { limit: 1 })).data[0]?.responseExcerpt;
  expect(await excerptOf(present(succeeded, "there is one").id)).toBe("é".repeat(2048));
  const other = await bench.subscribe();
  bench.respond = () => new Response("x".repeat(100_000), { status: 410 });
  await bench.publish(eventFor(other));
  const [failed] = await bench.settled(other.id, "failed");
  expect(await excerptOf(present(failed, "there is one").id)).toBe("x".repeat(65_536));
});
