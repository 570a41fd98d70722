import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { pipelineListener } from "#modules/exporters/event-listener.ts";
import type { PipelineService } from "#modules/exporters/index.ts";
import { ledgerSource } from "#modules/ledger/event-source.ts";
import { consumeDeliveries } from "#modules/webhooks/consumer.ts";
import { webhookListener } from "#modules/webhooks/event-listener.ts";
import { WebhookService } from "#modules/webhooks/index.ts";
import { AuditLog } from "#platform/audit/audit-log.ts";
import { type ServiceContext, systemContext } from "#platform/context.ts";
import { consumeEvents } from "#platform/events/consumer.ts";
import type { PlatformEvent } from "#platform/events/envelope.ts";
import type { LedgerOrigin } from "#platform/events/messages.ts";
import { deploymentClock } from "#platform/objects/deployment-clock.ts";
import { fromMillis } from "#platform/time.ts";
import type { ClockObject } from "#src/clock-object.ts";
import { consume } from "#src/jobs.ts";
import { freshName } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { evict } from "#test/support/platform/evict.ts";
import { DeliveryBench, eventFor } from "#test/support/webhooks/deliveries.ts";

const HOUR = 3_600_000;

/** A batch that records the fate of its messages. The one of the test pool forgets the delay of a retry. */
class FakeBatch implements MessageBatch {
  readonly acked: number[] = [];
  /** The index of each retried message and its delay in seconds. */
  readonly retried: [number, number | undefined][] = [];
  readonly metadata = { metrics: { backlogCount: 0, backlogBytes: 0 } };
  readonly queue: string;
  readonly messages: readonly Message[];

  constructor(queue: string, bodies: readonly unknown[], attempts = 1) {
    this.queue = queue;
    this.messages = bodies.map((body, index) => ({
      id: String(index),
      timestamp: new Date(),
      body,
      attempts,
      ack: () => this.acked.push(index),
      retry: (options) => this.retried.push([index, options?.delaySeconds]),
    }));
  }

  ackAll(): void {
    throw new Error("messages are acknowledged one by one");
  }

  retryAll(): void {
    throw new Error("messages are retried one by one");
  }
}

type LedgerEvents = Parameters<typeof ledgerSource>[0] extends (context: ServiceContext) => infer R
  ? R
  : never;

/** A message about log entries of a ledger. */
const range = (ledger: string, from: unknown, to: unknown) => ({
  source: "ledger",
  ledger,
  uuid: `uuid of ${ledger}`,
  from,
  to,
});

interface Parties {
  readonly source: LedgerEvents;
  readonly webhooks: Pick<WebhookService, "listSubscriptions" | "fanOut">;
  readonly pipelines?: Pick<PipelineService, "wake">;
}

const consumeFrom = (batch: FakeBatch, { source, webhooks, pipelines }: Parties): Promise<void> =>
  consumeEvents(batch, systemContext(env, "test"), {
    sources: [ledgerSource(() => source)],
    listeners: [
      webhookListener(() => webhooks),
      ...(pipelines === undefined ? [] : [pipelineListener(() => pipelines)]),
    ],
  });

/** Ledgers that have an event for every id and return events in parts. */
class FakeLedgers implements LedgerEvents {
  readonly log: string[] = [];
  readonly #eventOf: (id: number) => PlatformEvent;
  readonly #partSize: number;
  broken: string | undefined;

  constructor(eventOf: (id: number) => PlatformEvent, partSize = 1000) {
    this.#eventOf = eventOf;
    this.#partSize = partSize;
  }

  async readEvents({ ledger }: LedgerOrigin, from: number, to: number) {
    if (ledger === this.broken) throw new Error("the ledger is down");
    const end = Math.min(to, from + this.#partSize - 1);
    this.log.push(`read ${ledger} ${from}-${end}`);
    const events = Array.from({ length: end - from + 1 }, (_, index) =>
      this.#eventOf(from + index),
    );
    return { events, to: end };
  }

  async confirmEvents({ ledger }: LedgerOrigin, to: number) {
    if (ledger === this.broken) throw new Error("the ledger is down");
    this.log.push(`confirm ${ledger} ${to}`);
  }
}

describe("the events consumer", () => {
  test("merges ranges, reads them in parts, and confirms each part when its deliveries are stored", async () => {
    const bench = new DeliveryBench();
    const config = await bench.subscribe();
    const source = new FakeLedgers((id) => eventFor(config, { id: `a:${id}` }), 5);
    const confirm = source.confirmEvents.bind(source);
    source.confirmEvents = async (origin, to) => {
      expect(await bench.deliveriesOf(config.id)).toHaveLength(to);
      await confirm(origin, to);
    };
    const batch = new FakeBatch("florin-events", [
      range("a", 4, 7),
      range("a", 1, 4),
      range("a", 8, 12),
    ]);
    await consumeFrom(batch, { source, webhooks: bench.service });
    expect(source.log).toEqual([
      "read a 1-5",
      "confirm a 5",
      "read a 6-10",
      "confirm a 10",
      "read a 11-12",
      "confirm a 12",
    ]);
    expect(batch).toMatchObject({ acked: [0, 1, 2], retried: [] });
  });

  test("keeps ranges with a gap apart", async () => {
    const bench = new DeliveryBench();
    const config = await bench.subscribe();
    const source = new FakeLedgers((id) => eventFor(config, { id: `gap:${id}` }));
    const bodies = [range("a", 9, 9), range("a", 1, 2)];
    await consumeFrom(new FakeBatch("florin-events", bodies), {
      source,
      webhooks: bench.service,
    });
    expect(source.log).toEqual(["read a 1-2", "confirm a 2", "read a 9-9", "confirm a 9"]);
  });

  test("confirms without reading when no config is active", async () => {
    const source = new FakeLedgers(() => eventFor({ eventTypes: ["a.b"] }));
    const webhooks = {
      listSubscriptions: async () => new Map<string, string[]>(),
      fanOut: () => Promise.reject(new Error("nothing is to be done")),
    };
    const batch = new FakeBatch("florin-events", [range("a", 1, 500)]);
    await consumeFrom(batch, { source, webhooks });
    expect(source.log).toEqual(["confirm a 500"]);
    expect(batch).toMatchObject({ acked: [0], retried: [] });
  });

  test("confirms entries only when the pipelines know of them", async () => {
    const source = new FakeLedgers(() => eventFor({ eventTypes: ["a.b"] }));
    const webhooks = { listSubscriptions: async () => new Map(), fanOut: async () => undefined };
    const woken: [string, number | undefined][][] = [];
    const pipelines = {
      wake: async (lastLogIds: ReadonlyMap<string, number | undefined>) => {
        expect(source.log).toEqual([]);
        woken.push([...lastLogIds]);
      },
    };
    const bodies = [range("a", 4, 7), range("a", 1, 3), range("b", 1, 1)];
    const failed = new FakeBatch("florin-events", bodies);
    const wake = () => Promise.reject(new Error("D1 is down"));
    await consumeFrom(failed, { source, webhooks, pipelines: { wake } });
    expect(source.log).toEqual([]);
    expect(failed.acked).toEqual([]);
    expect(failed.retried).toHaveLength(3);

    const batch = new FakeBatch("florin-events", bodies);
    await consumeFrom(batch, { source, webhooks, pipelines });
    expect(woken).toEqual([
      [
        ["a", 7],
        ["b", 1],
      ],
    ]);
    expect(source.log).toEqual(["confirm a 7", "confirm b 1"]);
    expect(batch).toMatchObject({ acked: [0, 1, 2], retried: [] });
  });

  test("retries the messages of a ledger in trouble, later each time, and handles the others", async () => {
    const bench = new DeliveryBench();
    const config = await bench.subscribe();
    const source = new FakeLedgers((id) => eventFor(config, { id: `trouble:${id}` }));
    source.broken = "b";
    const bodies = [range("a", 1, 1), range("b", 1, 1)];
    for (const [attempts, delay] of [
      [1, 1],
      [2, 2],
      [5, 16],
      [11, 300],
    ] as const) {
      const batch = new FakeBatch("florin-events", bodies, attempts);
      await consumeFrom(batch, { source, webhooks: bench.service });
      expect(batch).toMatchObject({ acked: [0], retried: [[1, delay]] });
    }
    expect(await bench.deliveriesOf(config.id)).toHaveLength(1);
  });

  test("fails instead of looping forever when a ledger returns nothing", async () => {
    const bench = new DeliveryBench();
    await bench.subscribe();
    const source: LedgerEvents = {
      readEvents: async (_ledger, from) => ({ events: [], to: from - 1 }),
      confirmEvents: async () => undefined,
    };
    const batch = new FakeBatch("florin-events", [range("a", 1, 1)]);
    await consumeFrom(batch, { source, webhooks: bench.service });
    expect(batch).toMatchObject({ acked: [], retried: [[0, 1]] });
  });

  test("has all messages sent again when the configs cannot be read", async () => {
    const source = new FakeLedgers(() => eventFor({ eventTypes: ["a.b"] }));
    const webhooks = {
      listSubscriptions: () => Promise.reject(new Error("D1 is down")),
      fanOut: async () => undefined,
    };
    const batch = new FakeBatch("florin-events", [range("a", 1, 1), range("b", 1, 1)]);
    await consumeFrom(batch, { source, webhooks });
    expect(batch).toMatchObject({
      acked: [],
      retried: [
        [0, 1],
        [1, 1],
      ],
    });
    expect(source.log).toEqual([]);
  });

  test("drops malformed messages and handles the rest", async () => {
    const bench = new DeliveryBench();
    const config = await bench.subscribe();
    const source = new FakeLedgers((id) => eventFor(config, { id: `malformed:${id}` }));
    const bodies = [
      null,
      "text",
      { ...range("a", 1, 1), source: "nobody" },
      { ...range("a", 1, 1), uuid: "" },
      range("", 1, 1),
      range("a", "1", 1),
      range("a", -1, 1),
      range("a", 1.5, 2),
      range("a", 1, 1),
    ];
    const batch = new FakeBatch("florin-events", bodies);
    await consumeFrom(batch, { source, webhooks: bench.service });
    expect(source.log).toEqual(["read a 1-1", "confirm a 1"]);
    expect(batch.acked).toHaveLength(bodies.length);
  });
});

describe("the deliveries consumer", () => {
  test("attempts each delivery of a batch once and acknowledges all", async () => {
    const bench = new DeliveryBench();
    const config = await bench.subscribe();
    await bench.publish(eventFor(config), eventFor(config));
    const ids = bench.messages.map(({ deliveryId }) => deliveryId);
    const bodies = [...ids, ...ids, "unknown"].map((deliveryId) => ({ deliveryId }));
    const batch = new FakeBatch("florin-deliveries", [...bodies, { deliveryId: 1 }]);
    await consumeDeliveries(batch, bench.service);
    expect(bench.calls).toHaveLength(2);
    expect(batch.acked).toHaveLength(bodies.length + 1);
  });

  test("has messages sent again when the database is out of order", async () => {
    const batch = new FakeBatch("florin-deliveries", [{ deliveryId: "a" }], 3);
    await consumeDeliveries(batch, { deliver: () => Promise.reject(new Error("D1 is down")) });
    expect(batch).toMatchObject({ acked: [], retried: [[0, 4]] });
  });

  test("is reached through the queue of that name only", async () => {
    const batch = new FakeBatch("florin-deliveries", [{ deliveryId: "unknown" }]);
    await consume(batch, env);
    expect(batch.acked).toEqual([0]);
    await expect(consume(new FakeBatch("other", []), env)).rejects.toThrow("no consumer");
  });
});

describe("the clock object", () => {
  const alarmOf = (stub: DurableObjectStub<ClockObject>): Promise<number | null> =>
    runInDurableObject(stub, (_clock, { storage }) => storage.getAlarm());

  test("keeps the earliest time that it was armed with, also after an eviction", async () => {
    const stub = env.CLOCK.getByName(freshName("clock"));
    expect(await alarmOf(stub)).toBeNull();
    const atMs = Date.now() + HOUR;
    await stub.arm(atMs);
    await stub.arm(atMs + 1000);
    expect(await alarmOf(stub)).toBe(atMs);
    await evict(stub);
    await stub.arm(atMs - 1000);
    await stub.arm(atMs);
    expect(await alarmOf(stub)).toBe(atMs - 1000);
  });

  test("rests when nothing is under way", async () => {
    const stub = env.CLOCK.getByName(freshName("clock"));
    const purge = vi.spyOn(AuditLog.prototype, "purge").mockResolvedValue(undefined);
    await stub.arm(Date.now() + HOUR);
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    expect(await alarmOf(stub)).toBeNull();
    purge.mockRestore();
  });

  test("sets itself for what is pending", async () => {
    const bench = new DeliveryBench();
    bench.nowMs = Date.now() + 2 * HOUR;
    const config = await bench.subscribe();
    await bench.publish(eventFor(config));
    const stub = env.CLOCK.getByName(freshName("clock"));
    await stub.arm(Date.now() + HOUR);
    await runDurableObjectAlarm(stub);
    expect(await alarmOf(stub)).toBe(bench.nowMs + 15_000);
  });

  test("stays set when something is armed while it sweeps", async () => {
    const stub = env.CLOCK.getByName(freshName("clock"));
    await stub.arm(Date.now() + HOUR);
    await runInDurableObject(stub, async (clock) => {
      const sweeping = clock.alarm();
      await clock.arm(Date.now() + 15_000);
      await sweeping;
    });
    const alarm = await alarmOf(stub);
    expect(alarm).not.toBeNull();
    expect(alarm).toBeLessThanOrEqual(Date.now() + 15_000);
  });

  test("plans forgotten deliveries again, which the queue then brings to their endpoint", async () => {
    const bench = new DeliveryBench();
    const { eventTypes } = await bench.subscribe();
    // A server stored this an hour ago and was killed before it sent its messages. Nobody listens on this port.
    const { id: configId } = await bench.service.createConfig({
      endpoint: "http://127.0.0.1:9/in",
      eventTypes,
      secret: undefined,
      name: undefined,
    });
    const killed = WebhookService.from(systemContext(env, "test"), {
      clock: () => fromMillis(Date.now() - HOUR),
      send: async () => undefined,
    });
    await killed.fanOut([eventFor({ eventTypes })], new Map([[eventTypes[0] ?? "", [configId]]]));
    expect(await bench.deliveryOf(configId)).toMatchObject({ status: "pending", attempt_count: 0 });

    await runDurableObjectAlarm(deploymentClock(env));
    const attempted = await eventually(async () => {
      const row = await bench.deliveryOf(configId);
      expect(row).toMatchObject({ status: "pending", attempt_count: 1 });
      return row;
    });
    expect(await bench.attemptsOf(attempted.id)).toMatchObject([
      { outcome: "retryable_failure", status_code: 0, endpoint: "http://127.0.0.1:9/in" },
    ]);
    await bench.service.deleteConfig(configId);
  });
});
