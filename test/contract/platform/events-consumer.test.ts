import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import type { PipelineService } from "#modules/exporters/index.ts";
import { pipelineListener } from "#modules/exporters/services/event-listener.ts";
import { ledgerSource } from "#modules/ledger/event-source.ts";
import type { LedgerEvents } from "#modules/ledger/ledger-events.ts";
import { systemContext } from "#platform/context.ts";
import { consumeEvents } from "#platform/events/consumer.ts";
import type { PlatformEvent } from "#platform/events/envelope.ts";
import type { LedgerOrigin } from "#platform/events/messages.ts";
import type { EventListener, EventSink } from "#platform/events/source.ts";
import { consume } from "#src/jobs.ts";
import { FakeBatch } from "#test/support/events/batches.ts";
import { eventFor } from "#test/support/webhooks/deliveries.ts";

type Events = Pick<LedgerEvents, "read" | "readBare" | "reread" | "confirm">;

/** A message about log entries of a ledger. */
const range = (ledger: string, from: unknown, to: unknown) => ({
  source: "ledger",
  ledger,
  uuid: `uuid of ${ledger}`,
  from,
  to,
});

interface Parties {
  readonly source: Events;
  readonly listener: EventListener;
  readonly pipelines?: Pick<PipelineService, "wake">;
}

const consumeFrom = (batch: FakeBatch, { source, listener, pipelines }: Parties): Promise<void> =>
  consumeEvents(batch, systemContext(env, "test"), {
    sources: [ledgerSource(() => source)],
    listeners: [listener, ...(pipelines === undefined ? [] : [pipelineListener(() => pipelines)])],
  });

/** A listener that wants all events and stores their ids. */
class FakeListener implements EventListener {
  readonly stored = new Set<string>();

  async open(): Promise<EventSink> {
    return async (events) => {
      for (const { id } of events) this.stored.add(id);
    };
  }
}

/** A listener that wants no events. */
const DEAF: EventListener = { open: async () => undefined };

const eventOf = (id: string): PlatformEvent => eventFor({ eventTypes: ["a.b"] }, { id });

/** Ledgers with an event for each number, which answer in parts. */
class FakeLedgers implements Events {
  readonly log: string[] = [];
  readonly #eventOf: (id: number) => PlatformEvent;
  readonly #partSize: number;
  broken: string | undefined;

  constructor(eventOf: (id: number) => PlatformEvent, partSize = 1000) {
    this.#eventOf = eventOf;
    this.#partSize = partSize;
  }

  async read({ ledger }: LedgerOrigin, from: number, to: number) {
    if (ledger === this.broken) throw new Error("the ledger is down");
    const end = Math.min(to, from + this.#partSize - 1);
    this.log.push(`read ${ledger} ${from}-${end}`);
    const events = Array.from({ length: end - from + 1 }, (_, index) =>
      this.#eventOf(from + index),
    );
    return { events, to: end };
  }

  async readBare({ ledger }: LedgerOrigin, from: number, to: number) {
    this.log.push(`read bare ${ledger} ${from}-${to}`);
    const ids = Array.from({ length: to - from + 1 }, (_, index) => from + index);
    return { events: ids.map((id) => ({ ...this.#eventOf(id), payload: undefined })), to };
  }

  async reread(): Promise<never> {
    throw new Error("a consumer reads nothing again");
  }

  async confirm({ ledger }: LedgerOrigin, to: number) {
    if (ledger === this.broken) throw new Error("the ledger is down");
    this.log.push(`confirm ${ledger} ${to}`);
  }
}

describe("the events consumer", () => {
  test("the events consumer merges ranges, reads them in parts, and confirms each part when the listeners have stored it", async () => {
    const listener = new FakeListener();
    const source = new FakeLedgers((id) => eventOf(`a:${id}`), 5);
    const confirm = source.confirm.bind(source);
    source.confirm = async (origin, to) => {
      expect(listener.stored.size).toBe(to);
      await confirm(origin, to);
    };
    const batch = new FakeBatch("florin-events", [
      range("a", 4, 7),
      range("a", 1, 4),
      range("a", 8, 12),
    ]);
    await consumeFrom(batch, { source, listener });
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

  test("the events consumer keeps ranges with a gap apart", async () => {
    const listener = new FakeListener();
    const source = new FakeLedgers((id) => eventOf(`gap:${id}`));
    const bodies = [range("a", 9, 9), range("a", 1, 2)];
    await consumeFrom(new FakeBatch("florin-events", bodies), {
      source,
      listener,
    });
    expect(source.log).toEqual(["read a 1-2", "confirm a 2", "read a 9-9", "confirm a 9"]);
  });

  test("the events consumer confirms without reading when no listener wants anything", async () => {
    const source = new FakeLedgers(() => eventOf("x"));
    const batch = new FakeBatch("florin-events", [range("a", 1, 500)]);
    await consumeFrom(batch, { source, listener: DEAF });
    expect(source.log).toEqual(["confirm a 500"]);
    expect(batch).toMatchObject({ acked: [0], retried: [] });
  });

  test("the events consumer reads no payload where no listener looks at one", async () => {
    const listenerOf = (isBare: boolean): EventListener => ({
      open: async () => Object.assign(async () => undefined, { isBare }),
    });
    for (const [areBare, read] of [
      [[true, true], "read bare a 1-3"],
      [[true, false], "read a 1-3"],
    ] as const) {
      const source = new FakeLedgers((id) => eventOf(`a:${id}`));
      await consumeEvents(
        new FakeBatch("florin-events", [range("a", 1, 3)]),
        systemContext(env, "test"),
        { sources: [ledgerSource(() => source)], listeners: [DEAF, ...areBare.map(listenerOf)] },
      );
      expect(source.log).toEqual([read, "confirm a 3"]);
    }
  });

  test("the events consumer confirms entries when the pipelines know of them, and not before", async () => {
    const source = new FakeLedgers(() => eventOf("x"));
    const listener = DEAF;
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
    await consumeFrom(failed, { source, listener, pipelines: { wake } });
    expect(source.log).toEqual([]);
    expect(failed.acked).toEqual([]);
    expect(failed.retried).toHaveLength(3);

    const batch = new FakeBatch("florin-events", bodies);
    await consumeFrom(batch, { source, listener, pipelines });
    expect(woken).toEqual([
      [
        ["a", 7],
        ["b", 1],
      ],
    ]);
    expect(source.log).toEqual(["confirm a 7", "confirm b 1"]);
    expect(batch).toMatchObject({ acked: [0, 1, 2], retried: [] });
  });

  test("the events consumer has the messages of a ledger in trouble sent again, later each time, and handles the others", async () => {
    const listener = new FakeListener();
    const source = new FakeLedgers((id) => eventOf(`trouble:${id}`));
    source.broken = "b";
    const bodies = [range("a", 1, 1), range("b", 1, 1)];
    for (const [attempts, delay] of [
      [1, 1],
      [2, 2],
      [5, 16],
      [11, 300],
    ] as const) {
      const batch = new FakeBatch("florin-events", bodies, { attempts });
      await consumeFrom(batch, { source, listener });
      expect(batch).toMatchObject({ acked: [0], retried: [[1, delay]] });
    }
    expect(listener.stored.size).toBe(1);
  });

  test("the events consumer fails instead of going round in circles when a ledger gives nothing", async () => {
    const listener = new FakeListener();
    const source: Events = {
      read: async (_ledger, from) => ({ events: [], to: from - 1 }),
      readBare: async (_ledger, from) => ({ events: [], to: from - 1 }),
      reread: async (_ledger, from) => ({ events: [], to: from - 1 }),
      confirm: async () => undefined,
    };
    const batch = new FakeBatch("florin-events", [range("a", 1, 1)]);
    await consumeFrom(batch, { source, listener });
    expect(batch).toMatchObject({ acked: [], retried: [[0, 1]] });
  });

  test("the events consumer has all messages sent again when a listener is out of order", async () => {
    const source = new FakeLedgers(() => eventOf("x"));
    const listener = { open: () => Promise.reject(new Error("D1 is down")) };
    const batch = new FakeBatch("florin-events", [range("a", 1, 1), range("b", 1, 1)]);
    await consumeFrom(batch, { source, listener });
    expect(batch).toMatchObject({
      acked: [],
      retried: [
        [0, 1],
        [1, 1],
      ],
    });
    expect(source.log).toEqual([]);
  });

  test("the events consumer takes malformed messages for dead letters and handles the rest", async () => {
    const listener = new FakeListener();
    const source = new FakeLedgers((id) => eventOf(`malformed:${id}`));
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
    await consumeFrom(batch, { source, listener });
    expect(source.log).toEqual(["read a 1-1", "confirm a 1"]);
    expect(batch.acked).toHaveLength(bodies.length);
    const letters = await env.DB.prepare(
      "SELECT body, error FROM dead_letters WHERE state = 'waiting' AND error LIKE '%malformed%' ORDER BY id",
    ).all<{ body: string }>();
    expect(letters.results.map(({ body }) => JSON.parse(body) as unknown)).toEqual(
      bodies.slice(0, -1),
    );
  });
});

test("a queue without a consumer is a fault", async () => {
  await expect(consume(new FakeBatch("other", []), env)).rejects.toThrow("no consumer");
});
