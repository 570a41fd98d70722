import { describe, expect, test } from "vitest";
import { FailureQuota } from "#platform/failed-requests/quota.ts";

const LIMITS = {
  perPrincipal: { perSecond: 1, burst: 2 },
  total: { perSecond: 2, burst: 4 },
  principalsMax: 3,
};

describe("the quota of failed requests", () => {
  test("the quota of failed requests gives a principal a burst, and then its rate", () => {
    const quota = new FailureQuota(LIMITS);
    const takes = (atMs: number) => quota.take("ann", `r${atMs}`, atMs);
    expect([0, 1, 2, 3].map(takes)).toEqual([true, true, false, false]);
    expect([999, 1003, 1004, 2100].map(takes)).toEqual([false, true, false, true]);
  });

  test("the quota of failed requests counts what has no row at the row before it, once", () => {
    const quota = new FailureQuota(LIMITS);
    for (let at = 0; at < 7; at++) quota.take("ann", `r${at}`, at);
    expect(quota.hasOmitted).toBe(true);
    expect(quota.report()).toEqual({ more: new Map([["r1", 5]]), ofOthers: undefined });
    expect(quota.hasOmitted).toBe(false);
    expect(quota.report()).toEqual({ more: new Map(), ofOthers: undefined });
  });

  test("the quota of failed requests bounds all principals together", () => {
    const quota = new FailureQuota(LIMITS);
    const taken = ["a", "b", "c"].flatMap((name) =>
      [1, 2].map((number) => quota.take(name, `${name}${number}`, 0)),
    );
    expect(taken).toEqual([true, true, true, true, false, false]);
    expect(quota.report()).toEqual({
      more: new Map(),
      ofOthers: { requestId: "b2", count: 2 },
    });
  });

  test("the quota of failed requests knows a bounded number of principals, and forgets those that are quiet", () => {
    const quota = new FailureQuota({ ...LIMITS, total: { perSecond: 100, burst: 100 } });
    for (const name of ["a", "b", "c"]) quota.take(name, name, 0);
    expect(quota.take("d", "d1", 0)).toBe(false);
    expect(quota.report().ofOthers).toEqual({ requestId: "c", count: 1 });
    expect(quota.take("d", "d2", 5000)).toBe(true);
  });

  test("the quota of failed requests gives nothing for a clock that steps back", () => {
    const quota = new FailureQuota(LIMITS);
    const takes = (atMs: number) => quota.take("ann", "r", atMs);
    expect([50_000, 50_000, 10_000, 10_500, 11_000].map(takes)).toEqual([
      true,
      true,
      false,
      false,
      true,
    ]);
  });
});
