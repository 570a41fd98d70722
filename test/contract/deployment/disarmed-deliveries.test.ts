import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { consumeOccurrences } from "#modules/orchestration/triggers/firing/queue.ts";
import { RULES_SWEEP } from "#modules/reconciliation/sweep-names.ts";
import { systemContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { TRIGGERS_QUEUE } from "#platform/dead-letters/given-up.ts";
import { runSweep } from "#platform/modules/sweeps.ts";
import { clockOf } from "#platform/objects/deployment-clock.ts";
import { listSweepRuns } from "#platform/status/sweep-runs.ts";
import { fromMillis } from "#platform/time.ts";
import { MODULES } from "#src/modules.ts";
import { SWEEPS } from "#src/sweeps.ts";
import { arm, armForTheNextFile, disarm } from "#test/support/deployment/arming.ts";
import {
  pipelineOf,
  received,
  ring,
  running,
  settled,
  stateOf,
  write,
} from "#test/support/exporters/pipelines.ts";
import {
  deliver,
  eventOf,
  newTrigger,
  newWorkflow,
  storedOf,
  untilFired,
} from "#test/support/orchestration/triggers.ts";
import { api, bodyOf } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { endObject, evict } from "#test/support/platform/evict.ts";
import { newLedger } from "#test/support/reconciliation/books.ts";
import { createRule, thresholdOf } from "#test/support/reconciliation/rules.ts";
import { EndpointBench, eventFor } from "#test/support/webhooks/deliveries.ts";

// Each test disarms the deployment of the file, and arms it again.

afterAll(armForTheNextFile);
beforeEach(async () => {
  await arm();
});
afterEach(() => {
  vi.restoreAllMocks();
});

const DISARMED = {
  errorCode: "INTERNAL",
  errorMessage: expect.stringContaining("the deployment has been disarmed since") as string,
  details: "disarmed",
};

/** Lets the alarm of an endpoint ring until `count` deliveries have succeeded. */
const succeeded = (bench: EndpointBench, configId: string, count: number): Promise<void> =>
  eventually(async () => {
    await runDurableObjectAlarm(env.ENDPOINTS.getByName(configId));
    const states = (await bench.deliveriesOf(configId)).map(({ status }) => status);
    expect(states).toEqual(Array.from({ length: count }, () => "succeeded"));
  });

/** Runs a sweep as its clock does; returns in how many seconds it wants to run again. */
async function sweep(name: string, nowMs = Date.now()): Promise<number | undefined> {
  const found = SWEEPS.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no sweep ${name}`);
  const context = { ...systemContext(env, "test"), clock: () => fromMillis(nowMs) };
  const { nextMs } = await runSweep(found, context);
  return nextMs === undefined ? undefined : (nextMs - Date.now()) / 1000;
}

test("sweeps and queues that go on in a disarmed deployment are known: they keep books, wake objects and send events", () => {
  const going = SWEEPS.filter(({ waitsForArming = false }) => !waitsForArming);
  expect(going.map(({ name }) => name).toSorted()).toEqual(GO_ON);
  const queues = MODULES.flatMap(({ queues: consumed = {} }) => Object.keys(consumed));
  // An occurrence that comes is not fired, and stays in its table.
  expect(queues).toEqual([TRIGGERS_QUEUE]);
});

/** Sweeps that wait for nobody: they keep books and tables, send events to the queue, and wake objects, which ask for themselves. */
const GO_ON = [
  "audit",
  "buckets",
  "database-copy",
  "dead-letters",
  "failed-requests",
  "grants",
  "ledger-sizes",
  "logins",
  "orchestration-retention",
  "outbox",
  "payment-bookings",
  "payment-connectors", // wakes connectors, and removes uninstalled ones behind the gate of their plugin
  "payment-initiations", // wakes connectors, whose claims ask
  "payment-jobs", // claims ask
  "pipelines", // wakes pipelines, which ask
  "reconciliation-corrections",
  "reconciliation-retention",
  "reconciliation-times",
  "search",
  "secret-keys",
  "signing-keys",
  "storage-reserve",
  "storage-sizes",
  "wallet-holds",
  "webhook-owed", // gives endpoints their deliveries
  "webhooks", // wakes endpoints, which ask
];

test("a sweep of a disarmed deployment is put off, which is recorded as neither a success nor a failure", async () => {
  const name = RULES_SWEEP;
  const runsOf = async () => (await listSweepRuns(databaseOf(env))).get(name);
  const clock = clockOf(env, name);
  await clock.arm(Date.now());
  await eventually(async () => expect(await runsOf()).toMatchObject({ failures: 0 }));
  await env.DB.prepare(
    "UPDATE sweep_runs SET succeeded_ms = 1, failures = 2, next_ms = 0 WHERE name = ?",
  )
    .bind(name)
    .run();
  await disarm();
  await evict(clock);
  await clock.arm(Date.now());
  await runDurableObjectAlarm(clock);
  const run = await runsOf();
  expect(run).toMatchObject({ succeededMs: 1, failedMs: null, failures: 2 });
  expect(run?.nextMs).toBeGreaterThan(Date.now());
});

describe("webhooks of a disarmed deployment", () => {
  test("webhooks of a disarmed deployment are forgotten when their retention is over", async () => {
    const bench = new EndpointBench();
    const config = await bench.subscribe();
    await bench.publish(eventFor(config));
    await bench.settled(config.id, "succeeded");
    await disarm();
    await bench.publish(eventFor(config, { payload: { n: 2 } }));
    const object = env.ENDPOINTS.getByName(config.id);
    await runInDurableObject(object, async (_, { storage }) => {
      storage.sql.exec("UPDATE delivery SET updated_ms = 0 WHERE due_ms IS NULL");
      storage.sql.exec("UPDATE lane SET purged_ms = 0");
      await storage.setAlarm(Date.now() + 60_000);
    });
    await evict(object);
    await runDurableObjectAlarm(object);
    const states = (await bench.deliveriesOf(config.id)).map(({ status }) => status);
    expect(states).toEqual(["pending"]);
    await arm();
    await succeeded(bench, config.id, 1);
  });

  test("webhooks of a disarmed deployment wait without an attempt, also after an eviction, and are sent once when it is armed", async () => {
    const bench = new EndpointBench();
    const config = await bench.subscribe();
    await bench.publish(eventFor(config));
    await bench.settled(config.id, "succeeded");
    await disarm();
    const events = [1, 2, 3].map((n) => eventFor(config, { payload: { n } }));
    await bench.publish(...events);
    const object = env.ENDPOINTS.getByName(config.id);
    await runDurableObjectAlarm(object);
    await evict(object);
    await runDurableObjectAlarm(object);
    await bench.publish(events[0] ?? eventFor(config));
    const waiting = (await bench.deliveriesOf(config.id)).filter(
      ({ status }) => status === "pending",
    );
    expect(waiting).toHaveLength(3);
    for (const delivery of waiting) expect(delivery).toMatchObject({ attemptCount: 0 });
    expect(bench.callsTo(config.endpoint)).toHaveLength(1);
    await arm();
    await succeeded(bench, config.id, 4);
    const payloads = bench
      .callsTo(config.endpoint)
      .map(({ body }) => (JSON.parse(body) as { payload: object }).payload);
    expect(payloads).toHaveLength(4);
    expect(payloads).toEqual(expect.arrayContaining([{ n: 1 }, { n: 2 }, { n: 3 }]));
  });

  test("webhooks of a deployment that was disarmed wait for no alarm when something new comes after it was armed", async () => {
    const bench = new EndpointBench();
    const config = await bench.subscribe();
    await disarm();
    await bench.publish(eventFor(config, { payload: { n: 1 } }));
    const object = env.ENDPOINTS.getByName(config.id);
    await runDurableObjectAlarm(object);
    expect(bench.calls).toEqual([]);
    // No alarm rings as long as the test runs.
    await runInDurableObject(object, (_, { storage }) => storage.setAlarm(Date.now() + 3_600_000));
    await arm();
    await bench.publish(eventFor(config, { payload: { n: 2 } }));
    await eventually(() => expect(bench.callsTo(config.endpoint)).toHaveLength(2));
  });

  test("webhooks of a deployment that is disarmed while an endpoint fails are retried later, without a failure more", async () => {
    const bench = new EndpointBench();
    bench.respond = () => new Response("no", { status: 500 });
    const config = await bench.subscribe();
    await bench.publish(eventFor(config));
    await eventually(async () => {
      expect(await bench.deliveriesOf(config.id)).toMatchObject([{ attemptCount: 1 }]);
    });
    await disarm();
    const calls = bench.calls.length;
    const [{ id } = { id: "" }] = await bench.deliveriesOf(config.id);
    // A replay makes the delivery due at once.
    await bench.deliveries.replay(id, "again");
    await runDurableObjectAlarm(env.ENDPOINTS.getByName(config.id));
    expect(bench.calls).toHaveLength(calls);
    expect(await bench.deliveriesOf(config.id)).toMatchObject([{ status: "pending" }]);
    bench.respond = () => new Response("ok");
    await arm();
    await succeeded(bench, config.id, 1);
    expect(bench.calls).toHaveLength(calls + 1);
  });

  test("webhooks of a disarmed deployment are not tested, and the test is not counted", async () => {
    const bench = new EndpointBench();
    const config = await bench.subscribe();
    await disarm();
    const answer = await api(`/api/webhooks/configs/${config.id}/test`);
    expect([answer.status, await bodyOf(answer)]).toEqual([503, DISARMED]);
    expect(answer.headers.get("retry-after")).toBe("30");
    expect(bench.calls).toEqual([]);
    await arm();
    expect((await api(`/api/webhooks/configs/${config.id}/test`)).status).toBe(200);
  });
});

test("pipelines of a disarmed deployment wait without a failure, and send each entry once when it is armed", async () => {
  const { endpoint, ledger, id } = await running();
  await write(ledger, 1);
  await settled(ledger, id, 1);
  await disarm();
  await write(ledger, 2);
  await ring(id);
  await endObject(env.PIPELINES.getByName(id));
  await ring(id);
  expect(endpoint.ids).toEqual([1]);
  expect(await pipelineOf(ledger, id)).toMatchObject({ lastLogID: 1 });
  expect(await stateOf(ledger, id)).not.toHaveProperty("failure");
  await arm();
  await eventually(async () => {
    await ring(id);
    expect(await pipelineOf(ledger, id)).toMatchObject({ lastLogID: 3 });
  });
  await received(endpoint, [1, 2, 3]);
});

describe("workflows of a disarmed deployment", () => {
  interface Instance {
    readonly id: string;
    readonly terminated: boolean;
  }

  const instanceOf = async (id: string): Promise<Instance> => {
    const answer = await api(`/api/orchestration/v2/instances/${id}`);
    return ((await bodyOf(answer)) as { data: Instance }).data; // the schema of the answer has this shape
  };

  test("workflows of a disarmed deployment are not started, and instances that were started before wait where they are", async () => {
    const workflow = await newWorkflow([
      { wait_event: { event: "go" } },
      { delay: { duration: "1ms" } },
    ]);
    const runs = `/api/orchestration/v2/workflows/${workflow}/instances`;
    const started = await api(runs, { method: "POST" });
    const { id } = ((await bodyOf(started)) as { data: Instance }).data;
    await disarm();
    const refused = await api(runs, { method: "POST" });
    expect([refused.status, await bodyOf(refused)]).toEqual([503, DISARMED]);
    // The event is not lost: the stage ends, and the next one waits.
    const sent = await api(`/api/orchestration/v2/instances/${id}/events`, {
      body: { name: "go" },
    });
    expect(sent.status).toBe(204);
    const runner = env.INSTANCE_RUNNER.getByName("runner");
    await runDurableObjectAlarm(runner);
    expect(await sweep("orchestration-instances", Date.now() + 3_600_000)).toBeCloseTo(15, 0);
    expect(await instanceOf(id)).toMatchObject({ terminated: false });
    await arm();
    await eventually(async () => {
      await runDurableObjectAlarm(runner);
      expect(await instanceOf(id)).toMatchObject({ terminated: true });
    });
  });

  test("workflows of a deployment that was disarmed go on at once when an instance gets an event after it was armed", async () => {
    const workflow = await newWorkflow([{ wait_event: { event: "go" } }]);
    const started = await api(`/api/orchestration/v2/workflows/${workflow}/instances`, {
      method: "POST",
    });
    const { id } = ((await bodyOf(started)) as { data: Instance }).data;
    const runner = env.INSTANCE_RUNNER.getByName("runner");
    const alarmMs = () => runInDurableObject(runner, (_, { storage }) => storage.getAlarm());
    await disarm();
    await runner.wake({ id, run: 1 }, Date.now());
    await runDurableObjectAlarm(runner);
    expect((await alarmMs()) ?? 0).toBeGreaterThan(Date.now() + 11_000);
    await arm();
    await runner.wake({ id, run: 1 }, Date.now());
    expect((await alarmMs()) ?? 0).toBeLessThan(Date.now() + 5000);
  });

  test("workflows of a disarmed deployment are not started by triggers, whose occurrences wait and fire once when it is armed", async () => {
    const { id, event } = await newTrigger();
    await disarm();
    await deliver([eventOf(event, {})]);
    const [occurrence] = await storedOf(id);
    expect(occurrence).toMatchObject({ state: "fire", attempts: 0 });
    const ackAll = vi.fn<() => void>();
    const batch = { queue: "florin-triggers", messages: [], ackAll };
    await consumeOccurrences(batch as unknown as MessageBatch, systemContext(env, "test")); // the consumer uses only these members
    expect(ackAll).toHaveBeenCalledOnce();
    expect(await sweep("orchestration-triggers", Date.now() + 120_000)).toBeCloseTo(15, 0);
    expect(await storedOf(id)).toMatchObject([{ state: "fire", attempts: 0 }]);
    await arm();
    await sweep("orchestration-triggers", Date.now() + 120_000);
    expect(await untilFired(id)).toHaveLength(1);
    await eventually(async () => expect(await storedOf(id)).toMatchObject([{ state: "done" }]));
  });

  test("workflows of a disarmed deployment have triggers whose links to other servers are not read, and own ones are", async () => {
    const fetch = vi.spyOn(globalThis, "fetch");
    const { id } = await newTrigger({ vars: { v: 'link(event, "owner").id' } });
    await disarm();
    fetch.mockClear();
    const test = (uri: string) =>
      api(`/api/orchestration/v2/triggers/${id}/test`, {
        body: { links: [{ name: "owner", uri }] },
      });
    const foreign = await test("https://elsewhere.example.com/thing");
    expect([foreign.status, await bodyOf(foreign)]).toEqual([503, DISARMED]);
    expect(fetch).not.toHaveBeenCalled();
    expect((await test("/api/payments/v3/pools/00000000-0000-4000-8000-000000000000")).status).toBe(
      200,
    );
  });
});

test("rules of a disarmed deployment are not run by their schedules, and are when it is armed", async () => {
  const schedule = { kind: "cron", expr: "0 * * * *", safetyMargin: "0s" };
  const { id } = await createRule(thresholdOf(await newLedger(), { schedule }));
  await disarm();
  await env.DB.prepare(
    "UPDATE reconciliation_rules SET next_at = '2026-01-01T00:00:00.000000Z' WHERE id = ?",
  )
    .bind(id)
    .run();
  const runs = () =>
    env.DB.prepare("SELECT count(*) AS n FROM reconciliation_evaluations").first<number>("n");
  const before = await runs();
  expect(await sweep("reconciliation-rules")).toBeCloseTo(15, 0);
  expect(await runs()).toBe(before);
  await arm();
  await sweep("reconciliation-rules");
  expect(await runs()).toBe((before ?? 0) + 1);
});
