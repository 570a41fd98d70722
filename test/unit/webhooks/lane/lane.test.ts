import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CALLS_MAX, CALLS_MIN } from "#modules/webhooks/core/adaptive-concurrency.ts";
import { FAILURES_MAX } from "#modules/webhooks/core/breaker.ts";
import { toDeliveryId } from "#modules/webhooks/core/delivery-id.ts";
import { doubling } from "#platform/work/backoff.ts";
import { CONFIG_ID, LaneBench, SPEC, START_MS } from "#test/support/webhooks/lane-bench.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const STANDARD = {
  retries: { backoff: doubling(MINUTE, HOUR), abortAfterMs: 10 * HOUR, maxAttempts: 15 },
};

beforeEach(() => void vi.useFakeTimers({ now: START_MS }));
afterEach(() => void vi.useRealTimers());

const never = (): Promise<number> => new Promise(() => undefined);

describe("an endpoint that works", () => {
  test("an endpoint that works gets each event once, with the id of its delivery", async () => {
    const bench = new LaneBench();
    bench.accept(1, 100);
    await bench.pass(0);
    await bench.pass(SECOND);
    expect(bench.calls.map(({ body }) => body)).toEqual(
      Array.from({ length: 100 }, (_, index) => `body ${index + 1}`),
    );
    expect(bench.calls[99]?.deliveryId).toBe(toDeliveryId(CONFIG_ID, 100));
    expect(new Set(bench.statuses())).toEqual(new Set(["succeeded"]));
  });

  test("an endpoint that works gets what came along, and what did not is read", async () => {
    const bench = new LaneBench();
    bench.bodies = () => {
      throw new Error("nothing is read");
    };
    const event = { eventType: "a.b", idempotencyKey: "key", body: "came along" };
    bench.accept(7, 7, { events: [{ ...event, position: 7 }] });
    await bench.pass(SECOND);
    expect(bench.calls).toMatchObject([{ body: "came along", idempotencyKey: "key" }]);
  });

  test("an endpoint that works gets no event twice, in whatever order its messages come, and however often", async () => {
    const bench = new LaneBench();
    for (const [first, last] of [
      [5, 8],
      [1, 2],
      [5, 8],
      [2, 6],
      [9, 9],
      [3, 12],
      [1, 12],
    ] as const) {
      bench.accept(first, last);
    }
    await bench.pass(SECOND);
    expect(bench.calls).toHaveLength(12);
    expect(new Set(bench.calls.map(({ body }) => body)).size).toBe(12);
  });

  test("an endpoint that works gets events of the outbox once, by their ids", async () => {
    const bench = new LaneBench();
    const batch = {
      origin: { source: "outbox" } as const,
      events: ["x", "y"].map((position) => ({ position, eventType: "a.b", idempotencyKey: "" })),
    };
    bench.lane.accept(batch);
    bench.lane.accept(batch);
    await bench.pass(SECOND);
    expect(bench.calls.map(({ body }) => body)).toEqual(["body x", "body y"]);
  });

  test("an endpoint that works is called with few at once at first, and with more when it is fast", async () => {
    const bench = new LaneBench();
    let underWay = 0;
    let most = 0;
    const counts: number[] = [];
    bench.answer = async () => {
      most = Math.max(most, ++underWay);
      counts.push(underWay);
      await new Promise((resolve) => {
        setTimeout(resolve, 10);
      });
      underWay--;
      return 200;
    };
    bench.accept(1, 1000);
    await bench.pass(MINUTE);
    expect(Math.max(...counts.slice(0, 6))).toBe(CALLS_MIN);
    expect(most).toBe(CALLS_MAX);
    expect(bench.calls).toHaveLength(1000);
  });

  test("an endpoint that works gets large bodies a few at a time, as an object has little memory", async () => {
    const bench = new LaneBench();
    const body = "x".repeat(2_000_000);
    bench.bodies = (positions) => positions.slice(0, 4).map(() => body);
    let underWay = 0;
    let most = 0;
    bench.answer = async () => {
      most = Math.max(most, ++underWay);
      await new Promise((resolve) => {
        setTimeout(resolve, 10);
      });
      underWay--;
      return 200;
    };
    bench.accept(1, 100);
    await bench.pass(MINUTE);
    expect(bench.calls).toHaveLength(100);
    expect(most).toBeLessThanOrEqual(8);
  });

  test("an endpoint that works is called again before results are stored, and many results are stored at once", async () => {
    const bench = new LaneBench();
    bench.sql.all("CREATE TABLE stored (seq INTEGER, at INTEGER) STRICT");
    bench.sql.all(
      `CREATE TRIGGER note AFTER UPDATE OF status ON delivery BEGIN
         INSERT INTO stored VALUES (new.seq, new.updated_ms); END`,
    );
    bench.accept(1, 20);
    await bench.pass(0);
    await bench.pass(1);
    expect(bench.calls).toHaveLength(20);
    expect(bench.sql.all("SELECT * FROM stored")).toHaveLength(0);
    await bench.pass(SECOND);
    expect(bench.sql.all("SELECT at FROM stored GROUP BY at HAVING count(*) = 20")).toHaveLength(1);
  });

  test("an endpoint that works leaves one alarm behind while there is something to do, and none after", async () => {
    const bench = new LaneBench();
    bench.accept(1);
    expect(bench.alarmMs).toBeGreaterThan(START_MS);
    await bench.pass(SECOND);
    bench.alarmMs = undefined;
    bench.lane.wake();
    expect(bench.alarmMs).toBeUndefined();
  });
});

describe("a delivery that fails", () => {
  test("a delivery that fails is attempted by the schedule, then given up", async () => {
    const bench = new LaneBench(STANDARD);
    bench.answer = () => 503;
    bench.accept(1);
    await bench.pass(24 * HOUR);
    const minutes = [0, 1, 3, 7, 15, 31, 63, 123, 183, 243, 303, 363, 423, 483, 543];
    expect(bench.times().map((s) => Math.round(s / 6) / 10)).toEqual(minutes);
    expect(bench.list()).toMatchObject([
      { status: "failed", attemptCount: 15, lastStatusCode: 503, replayGeneration: 0 },
    ]);
    const attempts = bench.reads.attempts(1, { limit: 100 });
    expect(attempts.map(({ number }) => number)).toEqual(
      Array.from({ length: 15 }, (_, index) => 15 - index),
    );
    expect(attempts[0]).toMatchObject({
      outcome: "permanent_failure",
      statusCode: 503,
      responseExcerpt: "answer 503",
      endpoint: SPEC.endpoint,
    });
    expect(attempts[1]).toMatchObject({ outcome: "retryable_failure" });
    expect(
      bench.reads.attempts(1, { limit: 2, after: { generation: 0, number: 3 } }),
    ).toMatchObject([{ number: 2 }, { number: 1 }]);
  });

  test("a delivery that fails for good is not attempted again", async () => {
    const bench = new LaneBench();
    bench.answer = () => 400;
    bench.accept(1, 20);
    await bench.pass(HOUR);
    expect(bench.calls).toHaveLength(20);
    expect(new Set(bench.statuses())).toEqual(new Set(["failed"]));
  });

  test("a delivery that fails without an answer tells why", async () => {
    const bench = new LaneBench();
    bench.answer = () => -1;
    bench.accept(1);
    await bench.pass(0);
    await bench.pass(100);
    expect(bench.list()).toMatchObject([
      { status: "pending", attemptCount: 1, lastError: "connection refused" },
    ]);
    expect(bench.list()[0]).not.toHaveProperty("lastStatusCode", 0);
  });
});

describe("an endpoint that is down", () => {
  test("an endpoint that is down is left alone but for one call at a time, and gets everything when it is back", async () => {
    const bench = new LaneBench(STANDARD);
    bench.answer = () => -1;
    bench.accept(1, 200);
    await bench.pass(4 * SECOND);
    const before = bench.calls.length;
    expect(before).toBeGreaterThanOrEqual(FAILURES_MAX);
    expect(before).toBeLessThan(FAILURES_MAX + CALLS_MIN + 1);
    await bench.pass(2 * SECOND);
    expect(bench.calls.length).toBe(before + 1);
    await bench.pass(HOUR);
    expect(bench.calls.length).toBeLessThan(before + 30);
    bench.answer = () => 200;
    await bench.pass(2 * HOUR);
    expect(new Set(bench.statuses())).toEqual(new Set(["succeeded"]));
  });

  test.each([401, 403, 404, 405, 410])(
    "an endpoint that answers %i to everything is left alone, too, and what waits is not lost",
    async (status) => {
      const bench = new LaneBench(STANDARD);
      bench.answer = () => status;
      bench.accept(1, 200);
      await bench.pass(4 * SECOND);
      const before = bench.calls.length;
      expect(before).toBeLessThan(FAILURES_MAX + CALLS_MIN + 1);
      await bench.pass(HOUR);
      const asked = bench.calls.length;
      expect(asked).toBeLessThan(before + 30);
      bench.answer = () => 200;
      await bench.pass(HOUR);
      expect(bench.calls).toHaveLength(200);
      expect(bench.list({ statuses: ["failed"] })).toHaveLength(asked);
    },
  );

  test("an endpoint that hangs has few calls under way, and they are not repeated by alarms", async () => {
    const bench = new LaneBench();
    bench.answer = never;
    bench.accept(1, 100);
    await bench.pass(SECOND);
    for (let count = 0; count < 5; count++) {
      bench.lane.wake();
      await bench.pass(5 * SECOND);
    }
    expect(bench.calls).toHaveLength(CALLS_MIN);
    expect(bench.list({ statuses: ["delivering"] })).toHaveLength(CALLS_MIN);
    expect(bench.list({ statuses: ["pending"] })).toHaveLength(100 - CALLS_MIN);
  });

  test("an endpoint that is down keeps its alarm while that is due and has not rung", async () => {
    const bench = new LaneBench();
    bench.answer = never;
    bench.accept(1);
    const { alarmMs } = bench;
    await bench.pass(MINUTE);
    bench.accept(2);
    expect(bench.alarmMs).toBe(alarmMs);
    bench.lane.wake();
    expect(bench.alarmMs).toBeGreaterThan(START_MS + MINUTE);
  });

  test("an endpoint that is down for days is deactivated, however little of that time anybody asked it", async () => {
    const bench = new LaneBench({ ...STANDARD, disableAfterMs: 48 * HOUR });
    bench.answer = () => 410;
    for (let hour = 1; hour <= 48; hour++) {
      bench.accept(hour);
      await bench.pass(HOUR);
    }
    expect(bench.disabled).toEqual([]);
    bench.accept(49);
    await bench.pass(SECOND);
    expect(bench.disabled).toMatchObject([{ configId: CONFIG_ID }]);
  });

  test("an endpoint that is down is not deactivated by a clock that jumps", async () => {
    const bench = new LaneBench(STANDARD);
    bench.answer = () => 500;
    bench.accept(1);
    await bench.pass(SECOND);
    bench.skewMs = 10 * 365 * 24 * HOUR;
    bench.accept(2);
    await bench.pass(HOUR);
    expect(bench.disabled).toEqual([]);
  });
});

describe("a clock that steps", () => {
  test.each([-40 * SECOND, 40 * SECOND, -10 * 365 * 24 * HOUR, 10 * 365 * 24 * HOUR])(
    "a clock that steps by %i ms makes no wait longer",
    async (step) => {
      const bench = new LaneBench(STANDARD);
      bench.answer = () => 503;
      bench.accept(1);
      await bench.pass(SECOND);
      bench.skewMs = step;
      bench.accept(2);
      await bench.pass(SECOND);
      expect(bench.calls.length).toBeGreaterThanOrEqual(2);
      await bench.pass(MINUTE);
      expect(bench.calls.length).toBeGreaterThanOrEqual(4);
      bench.skewMs = 0;
      await bench.pass(2 * MINUTE);
      expect(bench.calls.length).toBeGreaterThanOrEqual(6);
    },
  );

  test("a clock that steps while nothing ran is noticed at the next start", async () => {
    const bench = new LaneBench(STANDARD);
    bench.answer = () => 503;
    bench.accept(1);
    await bench.pass(SECOND);
    bench.skewMs = -10 * 365 * 24 * HOUR;
    bench.restart().run();
    await bench.pass(MINUTE);
    expect(bench.calls).toHaveLength(2);
  });
});

describe("a lane after a crash", () => {
  test("calls that were under way in a crash are made again, and nothing else", async () => {
    const bench = new LaneBench();
    bench.accept(1, 5);
    await bench.pass(SECOND);
    bench.answer = never;
    bench.accept(6, 8);
    await bench.pass(SECOND);
    bench.calls.length = 0;
    bench.answer = () => 200;
    bench.restart().wake();
    await bench.pass(SECOND);
    expect(bench.calls.map(({ body }) => body)).toEqual(["body 6", "body 7", "body 8"]);
    expect(new Set(bench.statuses())).toEqual(new Set(["succeeded"]));
  });

  test("a retry is made at its time after a crash", async () => {
    const bench = new LaneBench(STANDARD);
    bench.answer = () => 500;
    bench.accept(1);
    await bench.pass(SECOND);
    bench.restart().wake();
    await bench.pass(50 * SECOND);
    expect(bench.calls).toHaveLength(1);
    await bench.pass(10 * SECOND);
    expect(bench.calls).toHaveLength(2);
  });

  test("a message that comes again after a crash brings nothing twice", async () => {
    const bench = new LaneBench();
    bench.accept(1, 3);
    await bench.pass(SECOND);
    bench.restart();
    bench.accept(1, 4);
    await bench.pass(SECOND);
    expect(bench.calls).toHaveLength(4);
  });
});
