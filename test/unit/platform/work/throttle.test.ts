import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Throttle } from "#platform/work/throttle.ts";

describe("a throttle", () => {
  let runs: number[];
  let throttle: Throttle;
  const START = 1_000_000;

  beforeEach(() => {
    vi.useFakeTimers({ now: START });
    runs = [];
    throttle = new Throttle(() => runs.push(Date.now() - START));
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  test("a throttle runs at once, and then once for all calls of an interval, at its end", () => {
    throttle.call(100);
    vi.advanceTimersByTime(30);
    throttle.call(100);
    throttle.call(100);
    expect(runs).toEqual([0]);
    vi.advanceTimersByTime(1000);
    expect(runs).toEqual([0, 100]);
  });

  test("a throttle runs at once again after an interval without calls", () => {
    throttle.call(100);
    vi.advanceTimersByTime(100);
    throttle.call(100);
    expect(runs).toEqual([0, 100]);
  });

  test("a throttle loses no call: one in the moment after a run has a run of its own", () => {
    for (let at = 0; at < 500; at += 10) {
      throttle.call(100);
      vi.advanceTimersByTime(10);
    }
    vi.advanceTimersByTime(100);
    expect(runs).toEqual([0, 100, 200, 300, 400, 500]);
  });

  test("a throttle does not wait longer where the clock is set back", () => {
    throttle.call(100);
    vi.setSystemTime(START - 3_600_000);
    throttle.call(100);
    expect(runs).toHaveLength(2);
  });
});
