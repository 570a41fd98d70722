import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Backoff,
  doubling,
  waitAfterElapsed,
  waitAfterFailures,
} from "#platform/work/backoff.ts";

const BACKOFF: Backoff = { firstMs: 100, mostMs: 1000, factor: 3, jitter: 0.5 };

const backoffs = fc.record({
  firstMs: fc.nat(100_000),
  mostMs: fc.nat(10_000_000),
  factor: fc.double({ min: 1, max: 10, noNaN: true }),
  jitter: fc.double({ min: 0, max: 1, noNaN: true }),
});
const randoms = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe("the wait after failures", () => {
  const waits = (backoff: Backoff, random?: () => number): number[] =>
    [1, 2, 3, 4, 5].map((failures) => waitAfterFailures(backoff, failures, random));

  test("the wait after failures grows by the factor from the first wait up to the longest", () => {
    expect(waits(BACKOFF)).toEqual([100, 300, 900, 1000, 1000]);
    expect(waits(doubling(15, 60))).toEqual([15, 30, 60, 60, 60]);
  });

  test("the wait after failures has a random share on top, also of the longest wait", () => {
    expect(waits(BACKOFF, () => 0.5)).toEqual([125, 375, 1125, 1250, 1250]);
  });

  test("the wait after failures is the first one where nothing has failed yet", () => {
    expect(waitAfterFailures(BACKOFF, 0)).toBe(100);
  });

  test("the wait after failures is never longer than the longest, where that is shorter than the first", () => {
    expect(waits({ ...BACKOFF, mostMs: 50 })).toEqual([50, 50, 50, 50, 50]);
  });

  test("a wait of nothing stays nothing after any number of failures", () => {
    expect(waitAfterFailures(doubling(0, 1000), 5000)).toBe(0);
  });

  test("the wait after failures is bounded and never shrinks, whatever the policy and the number of failures", () => {
    fc.assert(
      fc.property(backoffs, fc.nat(5000), randoms, (backoff, failures, random) => {
        const wait = waitAfterFailures(backoff, failures, () => random);
        expect(wait).toBeGreaterThanOrEqual(0);
        expect(wait).toBeLessThanOrEqual(Math.ceil(backoff.mostMs * (1 + backoff.jitter)));
        const next = waitAfterFailures(backoff, failures + 1, () => random);
        expect(next).toBeGreaterThanOrEqual(wait);
      }),
    );
  });
});

describe("the wait after a time", () => {
  test("the wait after a time lets the whole time grow by the factor, between the bounds", () => {
    const waits = [0, 40, 100, 200, 10_000].map((elapsed) => waitAfterElapsed(BACKOFF, elapsed));
    expect(waits).toEqual([100, 100, 200, 400, 1000]);
  });

  test("the wait after a time has a random share on top", () => {
    expect(waitAfterElapsed(BACKOFF, 200, () => 0.5)).toBe(500);
  });
});

test.each([
  ["shrinks", { factor: 0.5 }],
  ["has a wait of less than nothing", { firstMs: -1 }],
  ["has no end", { mostMs: Infinity }],
  ["has a jitter that more than doubles a wait", { jitter: 1.5 }],
])("a policy that %s is a mistake", (_what, change) => {
  expect(() => waitAfterFailures({ ...BACKOFF, ...change }, 1)).toThrow("invariant broken");
  expect(() => waitAfterElapsed({ ...BACKOFF, ...change }, 1)).toThrow("invariant broken");
});
