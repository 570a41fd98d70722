import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ledgerSource } from "#modules/ledger/event-source.ts";
import { LedgerEvents } from "#modules/ledger/ledger-events.ts";
import { systemContext } from "#platform/context.ts";
import { consumeEvents } from "#platform/events/consumer.ts";
import type { LedgerOrigin } from "#platform/events/messages.ts";

const MINUTE = 60_000;
const context = systemContext({} as Env, "test"); // the tests use nothing of the environment
const hang = (): Promise<never> => new Promise(() => undefined);

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A batch with a message for each ledger, about its entries 1 to 10, and the outcome of each message. */
function batchOf(ledgers: readonly string[]) {
  const fates: Record<string, string> = {};
  const messages = ledgers.map((ledger): Message => {
    const end = (fate: string) => () => void (fates[ledger] = fate);
    return {
      id: ledger,
      timestamp: new Date(),
      body: { source: "ledger", ledger, uuid: ledger, from: 1, to: 10 },
      attempts: 1,
      ack: end("ack"),
      retry: end("retry"),
    };
  });
  const batch: MessageBatch = {
    queue: "florin-events",
    messages,
    metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } },
    ackAll: () => undefined,
    retryAll: () => undefined,
  };
  return { batch, fates };
}

/** Ledgers without events, whose logs are read entry by entry. Ledgers whose names begin with "hung" hang. */
class FakeLedgers {
  readonly reads: string[] = [];
  onRead: (ledger: string) => Promise<void> = async () => undefined;

  async read({ ledger }: LedgerOrigin, from: number) {
    this.reads.push(`${ledger} ${from}`);
    await (ledger.startsWith("hung") ? hang() : this.onRead(ledger));
    return { events: [], to: from };
  }

  async readBare(): Promise<never> {
    throw new Error("the listener takes payloads");
  }

  async reread(): Promise<never> {
    throw new Error("a consumer reads nothing again");
  }

  async confirm(): Promise<void> {}
}

const consume = (batch: MessageBatch, ledgers: FakeLedgers): Promise<void> =>
  consumeEvents(batch, context, {
    sources: [ledgerSource(() => ledgers)],
    listeners: [{ open: async () => async () => undefined }],
  });

describe("the consumer of events", () => {
  test("the consumer of events is held up by no ledger that hangs, whose messages come again", async () => {
    const { batch, fates } = batchOf(["hung", "a", "b"]);
    const consuming = consume(batch, new FakeLedgers());
    await vi.advanceTimersByTimeAsync(0);
    expect(fates).toEqual({ a: "ack", b: "ack" });
    await vi.advanceTimersByTimeAsync(MINUTE);
    await consuming;
    expect(fates).toEqual({ hung: "retry", a: "ack", b: "ack" });
  });

  test("the consumer of events reaches every ledger, however many hang", async () => {
    const hung = Array.from({ length: 10 }, (_, index) => `hung${index}`);
    const { batch, fates } = batchOf([...hung, "a"]);
    const consuming = consume(batch, new FakeLedgers());
    await vi.advanceTimersByTimeAsync(2 * MINUTE);
    await consuming;
    expect(fates).toEqual({ ...Object.fromEntries(hung.map((name) => [name, "retry"])), a: "ack" });
  });

  test("the consumer of events begins no part of a ledger when its time is over", async () => {
    const { batch, fates } = batchOf(["slow"]);
    const ledgers = new FakeLedgers();
    ledgers.onRead = () =>
      new Promise((resolve) => {
        setTimeout(resolve, 25_000);
      });
    const consuming = consume(batch, ledgers);
    await vi.advanceTimersByTimeAsync(10 * MINUTE);
    await consuming;
    expect(ledgers.reads).toEqual(["slow 1", "slow 2", "slow 3"]);
    expect(fates).toEqual({ slow: "retry" });
  });
});

test("a ledger whose object hangs gives no events and confirms none, and says so in time", async () => {
  const object = { readLogs: hang, readHeads: hang, confirmPublished: hang };
  const LEDGERS = { getByName: () => object };
  const env = { LEDGERS } as unknown as Env; // the consumer uses only these members
  const events = new LedgerEvents(env);
  const origin = { ledger: "a", uuid: "a" };
  const calls = [
    events.read(origin, 1, 2),
    events.readBare(origin, 1, 2),
    events.confirm(origin, 2),
  ];
  const refusals = Promise.allSettled(calls);
  await vi.advanceTimersByTimeAsync(10_000);
  const refused = { status: "rejected", reason: { kind: "OVERLOADED" } };
  expect(await refusals).toMatchObject([refused, refused, refused]);
});
