import { describe, expect, test } from "vitest";
import {
  CALLS_MAX,
  CALLS_MIN,
  AdaptiveConcurrency,
} from "#modules/webhooks/core/adaptive-concurrency.ts";

/** The pace after `calls` calls that took `tookMs` each. */
function paceAfter(
  calls: number,
  tookMs: number,
  pace = new AdaptiveConcurrency(),
): AdaptiveConcurrency {
  for (let call = 0; call < calls; call++) pace.learn(tookMs, true);
  return pace;
}

describe("the number of calls under way", () => {
  test("the number of calls under way is small for an endpoint that is not known", () => {
    expect(new AdaptiveConcurrency().callsMax).toBe(CALLS_MIN);
  });

  test("the number of calls under way grows with each call that is fast, up to a limit", () => {
    const pace = new AdaptiveConcurrency();
    let before = pace.callsMax;
    for (let call = 0; call < 50; call++) {
      pace.learn(10, true);
      expect(pace.callsMax).toBeGreaterThanOrEqual(before);
      before = pace.callsMax;
    }
    expect(before).toBe(CALLS_MAX);
  });

  test.each([
    { tookMs: 0, calls: 96 },
    { tookMs: 500, calls: 96 },
    { tookMs: 1000, calls: 48 },
    { tookMs: 3000, calls: 16 },
    { tookMs: 8000, calls: 6 },
    { tookMs: 14_000, calls: 6 },
  ])(
    "the number of calls under way is $calls where a call takes $tookMs ms",
    ({ tookMs, calls }) => {
      // The average approaches the number, up to a difference of one call.
      expect(Math.abs(paceAfter(200, tookMs).callsMax - calls)).toBeLessThanOrEqual(1);
    },
  );

  test("the number of calls lets none wait for a connection for longer than its time, however slow the endpoint is", () => {
    // With all places taken, a call waits until each connection has served the calls before it.
    for (const serviceMs of [10, 100, 500, 1000, 3000, 7000]) {
      const pace = new AdaptiveConcurrency();
      let longestMs = 0;
      for (let call = 0; call < 500; call++) {
        const tookMs = Math.ceil(pace.callsMax / CALLS_MIN) * serviceMs;
        longestMs = Math.max(longestMs, tookMs);
        pace.learn(tookMs, true);
      }
      expect(longestMs).toBeLessThan(15_000);
    }
  });

  test("the number of calls under way shrinks with failures, however fast they come, and grows again", () => {
    const pace = paceAfter(100, 10);
    pace.learn(1, false);
    expect(pace.callsMax).toBeLessThan(CALLS_MAX);
    for (let call = 0; call < 50; call++) pace.learn(1, false);
    expect(pace.callsMax).toBe(CALLS_MIN);
    expect(paceAfter(100, 10, pace).callsMax).toBe(CALLS_MAX);
  });
});
