import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CALLS_MIN } from "#modules/webhooks/core/adaptive-concurrency.ts";
import { doubling } from "#platform/work/backoff.ts";
import { LaneBench, SPEC, START_MS } from "#test/support/webhooks/lane-bench.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const STANDARD = {
  retries: { backoff: doubling(MINUTE, HOUR), abortAfterMs: 10 * HOUR, maxAttempts: 15 },
};

beforeEach(() => void vi.useFakeTimers({ now: START_MS }));
afterEach(() => void vi.useRealTimers());

describe("a config that changes", () => {
  test("a config that changes sends what is pending to the new endpoint", async () => {
    const bench = new LaneBench();
    bench.answer = () => 500;
    bench.accept(1);
    await bench.pass(100);
    bench.answer = () => 200;
    bench.lane.adopt({ ...SPEC, revision: 2, endpoint: "https://other.example.com/" });
    await bench.pass(SECOND);
    expect(bench.reads.attempts(1, { limit: 10 }).map(({ endpoint }) => endpoint)).toEqual([
      "https://other.example.com/",
      SPEC.endpoint,
    ]);
  });

  test("a config that changes and becomes inactive cancels what is pending; of the calls under way only successes count", async () => {
    const bench = new LaneBench();
    const answers: ((status: number) => void)[] = [];
    bench.answer = () => new Promise((resolve) => answers.push(resolve));
    bench.accept(1, 8);
    await bench.pass(10);
    bench.lane.adopt({ ...SPEC, revision: 2, active: false });
    const { underWay, head } = bench.lane.view;
    const ended = bench.changes.endPending("cancelled", {
      head,
      except: [...underWay.keys()],
      error: null,
      wallMs: Date.now(),
      limit: 100,
    });
    expect(ended).toBe(8 - CALLS_MIN);
    expect(bench.accept(9)).toBe(false);
    for (const [index, answer] of answers.entries()) answer(index === 0 ? 200 : 500);
    await bench.pass(HOUR);
    expect(bench.statuses()).toEqual([
      "succeeded",
      ...Array.from({ length: 7 }, () => "cancelled"),
    ]);
    expect(bench.calls).toHaveLength(CALLS_MIN);
    bench.lane.adopt({ ...SPEC, revision: 3 });
    bench.answer = () => 200;
    bench.accept(10);
    await bench.pass(SECOND);
    expect(bench.statuses().at(-1)).toBe("succeeded");
    expect(bench.calls).toHaveLength(CALLS_MIN + 1);
  });
});

describe("a replay", () => {
  test("a replay of deliveries leaves out what has failed so long ago that it is purged next", async () => {
    const bench = new LaneBench(STANDARD);
    bench.answer = () => 404;
    bench.accept(1);
    await bench.pass(SECOND);
    const failedMs = bench.list()[0]?.updatedMs ?? 0;
    const times = { laneMs: bench.lane.laneMs, wallMs: Date.now() };
    const replay = (failedSinceMs: number) =>
      bench.changes.replay([1], { ...times, failedSinceMs }).replayed;
    expect(replay(failedMs + 1)).toBe(0);
    expect(replay(failedMs)).toBe(1);
  });

  test("a replay of deliveries begins a new generation of what has failed, and hurries what is pending", async () => {
    const bench = new LaneBench(STANDARD);
    bench.answer = ({ body }) => (body === "body 1" ? 404 : 500);
    bench.accept(1, 2);
    await bench.pass(SECOND);
    bench.answer = () => 200;
    const times = { laneMs: bench.lane.laneMs, wallMs: Date.now(), failedSinceMs: 0 };
    expect(bench.changes.replay([1, 2, 3], times)).toEqual({
      replayed: 1,
      expedited: 1,
      skipped: 1,
    });
    bench.lane.run();
    await bench.pass(SECOND);
    expect(bench.list()).toMatchObject([
      { status: "succeeded", replayGeneration: 1, attemptCount: 1 },
      { status: "succeeded", replayGeneration: 0, attemptCount: 2 },
    ]);
    expect(bench.reads.attempts(1, { limit: 10 })).toMatchObject([
      { generation: 1, number: 1, outcome: "succeeded" },
      { generation: 0, number: 1, outcome: "permanent_failure", statusCode: 404 },
    ]);
  });
});
