import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { doubling } from "#platform/work/backoff.ts";
import { LaneBench, SPEC, START_MS } from "#test/support/webhooks/lane-bench.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const STANDARD = {
  retries: { backoff: doubling(MINUTE, HOUR), abortAfterMs: 10 * HOUR, maxAttempts: 15 },
};

beforeEach(() => void vi.useFakeTimers({ now: START_MS }));
afterEach(() => {
  // The mocks come first: a mock of a timer function would otherwise put the fake one back.
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const never = (): Promise<number> => new Promise(() => undefined);

describe("what was chosen before", () => {
  test("a delivery that was chosen before is not called a second time while its call is under way", async () => {
    const bench = new LaneBench();
    bench.answer = never;
    bench.accept(1, 20);
    await bench.pass(10);
    bench.lane.adopt({ ...SPEC, revision: 2, active: false });
    bench.lane.adopt({ ...SPEC, revision: 3 });
    await bench.pass(SECOND);
    expect(new Set(bench.calls.map(({ body }) => body)).size).toBe(bench.calls.length);
  });

  test("a delivery that was chosen before waits no longer where the clock is set back while the config could not be read", async () => {
    const bench = new LaneBench();
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    bench.isOpenable = false;
    bench.accept(1, 3);
    await bench.pass(10);
    bench.skewMs = -HOUR;
    bench.isOpenable = true;
    await bench.pass(MINUTE);
    expect(bench.calls).toHaveLength(3);
  });

  test("a delivery that was chosen before for a time that no wait can have is due within the longest one", async () => {
    const bench = new LaneBench(STANDARD);
    bench.answer = () => 503;
    bench.accept(1);
    await bench.pass(SECOND);
    bench.sql.all("UPDATE delivery SET due_ms = due_ms + ?", 10 * 365 * 24 * HOUR);
    bench.answer = () => 200;
    bench.restart().wake();
    await bench.pass(6 * HOUR + MINUTE);
    expect(bench.statuses()).toEqual(["succeeded"]);
  });
});

describe("trouble of its own", () => {
  test("a result that cannot be stored is kept, and the call is not made again", async () => {
    const bench = new LaneBench();
    bench.sql.all(
      "CREATE TRIGGER full BEFORE UPDATE ON delivery BEGIN SELECT RAISE(ABORT, 'full'); END",
    );
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    bench.accept(1);
    await bench.pass(SECOND);
    expect(bench.statuses()).toEqual(["delivering"]);
    await bench.pass(HOUR);
    bench.sql.all("DROP TRIGGER full");
    await bench.pass(MINUTE);
    expect(bench.statuses()).toEqual(["succeeded"]);
    expect(bench.calls).toHaveLength(1);
  });

  test("no calls are made while many results cannot be stored", async () => {
    const bench = new LaneBench();
    bench.sql.all(
      "CREATE TRIGGER full BEFORE UPDATE ON delivery BEGIN SELECT RAISE(ABORT, 'full'); END",
    );
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    bench.accept(1, 1000);
    await bench.pass(HOUR);
    const made = bench.calls.length;
    expect(made).toBeLessThan(200);
    await bench.pass(HOUR);
    expect(bench.calls).toHaveLength(made);
    bench.sql.all("DROP TRIGGER full");
    await bench.pass(HOUR);
    expect(new Set(bench.statuses())).toEqual(new Set(["succeeded"]));
    expect(bench.calls).toHaveLength(1000);
  });

  test("an event that cannot be read now holds up no other one", async () => {
    const bench = new LaneBench();
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    let isBusy = true;
    bench.bodies = (positions) => {
      if (isBusy && positions.includes(1)) throw new Error("the ledger is busy");
      return positions.map((position) => `body ${position}`);
    };
    bench.accept(1);
    await bench.pass(10);
    bench.lane.accept({
      origin: { source: "outbox" },
      events: [{ position: "x", eventType: "a.b", idempotencyKey: "" }],
    });
    await bench.pass(10);
    expect(bench.calls.map(({ body }) => body)).toEqual(["body x"]);
    isBusy = false;
    await bench.pass(MINUTE);
    expect(bench.calls.map(({ body }) => body)).toEqual(["body x", "body 1"]);
    expect(bench.list({ statuses: ["succeeded"] }).map(({ attemptCount }) => attemptCount)).toEqual(
      [1, 1],
    );
  });

  test("a ledger that hangs holds up no events of others, however many of it are pending", async () => {
    const bench = new LaneBench();
    bench.bodies = (positions) =>
      positions.includes("x") ? ["body x"] : (never() as unknown as (string | undefined)[]); // the read hangs
    bench.accept(1, 3000);
    await bench.pass(10);
    bench.lane.accept({
      origin: { source: "outbox" },
      events: [{ position: "x", eventType: "a.b", idempotencyKey: "" }],
    });
    await bench.pass(SECOND);
    expect(bench.calls.map(({ body }) => body)).toEqual(["body x"]);
  });

  test("a ledger that fails is asked at growing intervals, with few events at a time", async () => {
    const bench = new LaneBench();
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const asked: number[] = [];
    let isBusy = true;
    bench.bodies = (positions) => {
      asked.push(positions.length);
      if (isBusy) throw new Error("the ledger is busy");
      return positions.map((position) => `body ${position}`);
    };
    bench.accept(1, 2000);
    await bench.pass(5 * MINUTE);
    expect(asked.length).toBeLessThan(16);
    expect(Math.max(...asked)).toBeLessThanOrEqual(192);
    expect(bench.list({ statuses: ["pending"] })).toHaveLength(2000);
    isBusy = false;
    await bench.pass(2 * MINUTE);
    expect(new Set(bench.statuses())).toEqual(new Set(["succeeded"]));
    expect(new Set(bench.calls.map(({ body }) => body)).size).toBe(2000);
    expect(bench.calls).toHaveLength(2000);
  });

  test("a retry waits for a ledger that fails, and goes on when it is back", async () => {
    const bench = new LaneBench(STANDARD);
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    bench.answer = () => 503;
    bench.accept(1, 5);
    await bench.pass(SECOND);
    bench.bodies = () => {
      throw new Error("the ledger is busy");
    };
    bench.answer = () => 200;
    await bench.pass(10 * MINUTE);
    expect(bench.calls).toHaveLength(5);
    bench.bodies = (positions) => positions.map((position) => `body ${position}`);
    await bench.pass(2 * MINUTE);
    expect(new Set(bench.statuses())).toEqual(new Set(["succeeded"]));
  });

  test("bodies that do not fit into memory at once are read later, and each is sent once", async () => {
    const bench = new LaneBench();
    bench.bodies = (positions) => positions.slice(0, 3).map((position) => `body ${position}`);
    bench.accept(1, 100);
    await bench.pass(MINUTE);
    expect(bench.calls).toHaveLength(100);
    expect(new Set(bench.calls.map(({ body }) => body)).size).toBe(100);
  });

  test("an event that is gone has failed", async () => {
    const bench = new LaneBench();
    bench.bodies = (positions) =>
      positions.map((position) => (position === 2 ? undefined : "body"));
    bench.accept(1, 3);
    await bench.pass(SECOND);
    expect(bench.statuses()).toEqual(["succeeded", "failed", "succeeded"]);
    expect(bench.list()[1]).toMatchObject({
      attemptCount: 0,
      lastError: expect.stringContaining("gone") as string,
    });
  });
});

describe("what the runtime has lost", () => {
  const logged = () => vi.spyOn(console, "error").mockImplementation(() => undefined);

  test("a call that neither ends nor meets its deadline is given up after 30 s, and its delivery is attempted again", async () => {
    const errors = logged();
    const bench = new LaneBench();
    bench.answer = never;
    bench.accept(1, 2);
    await bench.pass(20 * SECOND);
    bench.lane.wake();
    expect(bench.statuses()).toEqual(["delivering", "delivering"]);
    bench.answer = () => 200;
    await bench.pass(10 * SECOND);
    bench.lane.wake();
    await bench.pass(SECOND);
    expect(bench.list()).toMatchObject([{ attemptCount: 1 }, { attemptCount: 1 }]);
    await bench.pass(MINUTE);
    expect(bench.statuses()).toEqual(["succeeded", "succeeded"]);
    expect(bench.calls).toHaveLength(4);
    const [attempt] = bench.reads.attempts(1, { limit: 10 }).slice(-1);
    expect(attempt).toMatchObject({ error: "the call has not ended within 30 s" });
    expect(errors).toHaveBeenCalledTimes(2);
  });

  test("the end of a call that was given up changes nothing", async () => {
    logged();
    const bench = new LaneBench(STANDARD);
    const late = Promise.withResolvers<number>();
    bench.answer = () => late.promise;
    bench.accept(1);
    await bench.pass(30 * SECOND);
    bench.lane.wake();
    await bench.pass(SECOND);
    late.resolve(200);
    await bench.pass(SECOND);
    expect(bench.statuses()).toEqual(["pending"]);
    expect(bench.reads.attempts(1, { limit: 10 })).toHaveLength(1);
  });

  test("a call that was given up has given its place back", async () => {
    logged();
    const bench = new LaneBench(STANDARD);
    bench.answer = never;
    bench.accept(1, 1);
    await bench.pass(30 * SECOND);
    bench.lane.wake();
    bench.answer = () => 200;
    bench.accept(2, 200);
    await bench.pass(MINUTE);
    expect(bench.statuses().filter((status) => status === "succeeded")).toHaveLength(199);
  });

  test("results whose timer is lost are stored at the next alarm, once", async () => {
    const errors = logged();
    const bench = new LaneBench();
    const lost = vi.spyOn(globalThis, "setTimeout").mockImplementation((() => 0) as never);
    bench.accept(1, 3);
    await bench.pass(SECOND);
    lost.mockRestore();
    expect(bench.statuses()).toEqual(["delivering", "delivering", "delivering"]);
    await bench.pass(9 * SECOND);
    bench.lane.wake();
    expect(bench.statuses()).toEqual(["succeeded", "succeeded", "succeeded"]);
    bench.accept(4);
    await bench.pass(SECOND);
    expect(bench.statuses()).toHaveLength(4);
    expect(new Set(bench.statuses())).toEqual(new Set(["succeeded"]));
    expect(bench.calls).toHaveLength(4);
    expect(errors).toHaveBeenCalledOnce();
  });
});
