import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { countRequest, waitForLull, runWithRests, takeTurns } from "#platform/work/turns.ts";

test("work that takes turns lets a timer ring, however many chains of it there are", async () => {
  const endMs = Date.now() + 60_000;
  const rung = new AbortController();
  const chain = async (): Promise<number> => {
    let steps = 0;
    for (; !rung.signal.aborted && Date.now() < endMs; steps++) await takeTurns();
    return steps;
  };
  await delay(20); // no other work has taken turns for a while
  const chains = [chain(), chain(), chain()];
  setTimeout(() => rung.abort(), 30);
  const steps = await Promise.all(chains);
  expect(rung.signal.aborted).toBe(true);
  for (const count of steps) expect(count).toBeGreaterThan(0);
});

describe("a piece of long work", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test.each([
    { takesMs: 40, restMs: 10 },
    { takesMs: 4000, restMs: 100 },
    { takesMs: -3000, restMs: 0 }, // work during which the clock is set back
  ])("work of $takesMs ms is followed by a rest of $restMs ms", async ({ takesMs, restMs }) => {
    const work = async (): Promise<number> => {
      vi.setSystemTime(Date.now() + takesMs);
      return takesMs;
    };
    let restedMs = 0;
    const piece = runWithRests(0.25, work).then((result) => ({ result, restedMs }));
    for (; restedMs < 200; restedMs++) await vi.advanceTimersByTimeAsync(1);
    expect((await piece).result).toBe(takesMs);
    expect(Math.abs((await piece).restedMs - restMs)).toBeLessThanOrEqual(1);
  });
});

describe("long work in a burst of requests", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test("long work in a burst of requests begins in the next turn where no others come", async () => {
    arrive(100); // a burst of requests that is over before the work begins
    expect(await startOf(waitForLull())).toBeLessThanOrEqual(1);
  });

  test("long work in a burst of requests begins once requests no longer come by the dozen", async () => {
    const burst = setInterval(() => arrive(20), 5);
    setTimeout(() => clearInterval(burst), 300);
    const work = waitForLull();
    arrive(20);
    const startMs = await startOf(work);
    expect(startMs).toBeGreaterThanOrEqual(300);
    expect(startMs).toBeLessThan(360);
  });

  test("long work in a burst of requests begins after two seconds however many still come", async () => {
    const burst = setInterval(() => arrive(20), 5);
    const work = waitForLull();
    arrive(20);
    const startMs = await startOf(work);
    clearInterval(burst);
    expect(startMs).toBeGreaterThanOrEqual(2000);
    expect(startMs).toBeLessThan(2060);
  });

  function arrive(count: number): void {
    for (let number = 0; number < count; number++) countRequest();
  }

  /** When a piece of work begins, in milliseconds of the fake timers from now. */
  async function startOf(work: Promise<void>): Promise<number> {
    const sinceMs = Date.now();
    const start = work.then(() => Date.now() - sinceMs);
    await vi.advanceTimersByTimeAsync(3000);
    return start;
  }
});
