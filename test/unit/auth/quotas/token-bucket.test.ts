import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isUnlimited, parseRate } from "#modules/auth/core/quota.ts";
import { TokenBucket } from "#modules/auth/core/token-bucket.ts";
import { HeldTokens } from "#modules/auth/quotas/held-tokens.ts";
import { rateLimitFields } from "#modules/auth/quotas/rate-limit-fields.ts";

const RATE = { perSecond: 10, burst: 20 };

describe("a token bucket", () => {
  test("a token bucket gives its burst at once, and then its rate", () => {
    const bucket = TokenBucket.full(RATE, 0);
    expect(bucket.waitMs(20, 0)).toBe(0);
    bucket.take(20);
    expect([bucket.left(0), bucket.waitMs(1, 0), bucket.waitMs(15, 0)]).toEqual([0, 100, 1500]);
    expect([bucket.left(99), bucket.left(100), bucket.left(5000)]).toEqual([0, 1, 20]);
    expect(bucket.isFull(5000)).toBe(true);
  });

  test("a token bucket is not filled by a clock that is set back, and goes on from there", () => {
    const bucket = new TokenBucket(RATE, { tokens: 0, atMs: 10_000 });
    expect(bucket.left(5000)).toBe(0);
    expect(bucket.left(5500)).toBe(5);
  });

  test("a token bucket lets more than its burst through when it is full, and then nothing until the debt is paid", () => {
    const bucket = TokenBucket.full(RATE, 0);
    expect(bucket.waitMs(50, 0)).toBe(0);
    bucket.take(50);
    expect(bucket.waitMs(1, 0)).toBe(3100);
    bucket.giveBack(100);
    expect(bucket.left(0)).toBe(20);
  });

  test("a token bucket never gives more than its burst and its rate, whatever is taken when", () => {
    const steps = fc.array(
      fc.record({
        waitMs: fc.integer({ min: -500, max: 2000 }),
        count: fc.integer({ min: 1, max: 20 }),
      }),
      { minLength: 1, maxLength: 60 },
    );
    fc.assert(
      fc.property(steps, (list) => {
        let nowMs = 1_000_000;
        let passedMs = 0;
        let taken = 0;
        const bucket = TokenBucket.full(RATE, nowMs);
        for (const { waitMs, count } of list) {
          nowMs += waitMs;
          passedMs += Math.max(0, waitMs);
          if (bucket.waitMs(count, nowMs) > 0) continue;
          bucket.take(count);
          taken += count;
        }
        expect(taken).toBeLessThanOrEqual(RATE.burst + (passedMs / 1000) * RATE.perSecond + 1e-6);
      }),
    );
  });
});

describe("the tokens that an isolate holds", () => {
  test("the tokens that an isolate holds are asked for ahead as it uses them, up to a quarter of a second", () => {
    const held = new HeldTokens({ perSecond: 100, burst: 200 });
    const asked: number[] = [];
    for (let lease = 0; lease < 6; lease++) {
      const { need, more } = held.ask(1, 0);
      asked.push(more);
      held.add(need + more, { need, more, left: 100, askedMs: 0, nowMs: 0 });
      while (held.has(1, 0)) held.take(1);
    }
    expect(asked).toEqual([0, 2, 6, 14, 25, 25]);
    // After a pause, nothing is asked for ahead.
    expect(held.ask(1, 1000)).toEqual({ need: 1, more: 0, unused: 0 });
  });

  test("the tokens that an isolate holds go back when their time has passed, and are not used twice", () => {
    const held = new HeldTokens(RATE);
    held.add(5, { need: 5, more: 0, left: 10, askedMs: 0, nowMs: 0 });
    held.take(2);
    expect([held.has(3, 999), held.left(999)]).toEqual([true, 13]);
    expect(held.has(1, 1000)).toBe(false);
    expect(held.ask(1, 1000)).toEqual({ need: 1, more: 0, unused: 3 });
    expect(held.ask(1, 1000)).toEqual({ need: 1, more: 0, unused: 0 });
  });

  test("the tokens that an isolate holds are asked for ahead by one request at a time", () => {
    const held = new HeldTokens({ perSecond: 100, burst: 200 });
    held.add(4, { need: 4, more: 0, left: 100, askedMs: 0, nowMs: 0 });
    held.take(4);
    expect([held.ask(1, 0).more, held.ask(1, 0).more]).toEqual([8, 0]);
    held.add(9, { need: 1, more: 8, left: 90, askedMs: 0, nowMs: 0 });
    held.take(9);
    expect(held.ask(1, 0).more).toBe(18);
  });

  test("the tokens that an isolate holds: a refusal is remembered for that many tokens, and not by a clock that is set back", () => {
    const held = new HeldTokens(RATE);
    held.noteRefused(5, 400, 1000);
    expect([held.refusedMs(5, 1100), held.refusedMs(6, 1100), held.refusedMs(4, 1100)]).toEqual([
      300, 300, 0,
    ]);
    expect([held.refusedMs(5, 1400), held.refusedMs(5, 900)]).toEqual([0, 0]);
    held.noteRefused(5, 60_000, 1000);
    expect(held.refusedMs(5, 2000)).toBe(0);
  });

  /** How many of requests for one token each, all at once, ask the object. */
  function askAtOnce(held: HeldTokens, requests: number, nowMs: number): number {
    let asked = 0;
    for (let sent = 0; sent < requests; sent++) {
      if (held.refusedMs(1, nowMs) > 0) continue;
      held.ask(1, nowMs);
      asked += 1;
    }
    return asked;
  }

  test("the tokens that an isolate holds are asked for by no more requests at once than the object can serve", () => {
    const held = new HeldTokens({ perSecond: 5, burst: 20 });
    expect(askAtOnce(held, 400, 0)).toBe(20);
    for (let left = 19; left >= 0; left--) {
      held.add(1, { need: 1, more: 0, left, askedMs: 0, nowMs: 0 });
      held.take(1);
    }
    // The object may have all but one token of the next one, and fills five a second.
    expect(askAtOnce(held, 400, 0)).toBe(1);
    held.add(0, { need: 1, more: 0, left: 0, askedMs: 0, nowMs: 0 });
    held.noteRefused(1, 200, 0);
    expect(askAtOnce(held, 400, 200)).toBe(0);
    expect(askAtOnce(held, 400, 250)).toBe(2);
  });

  test("the tokens that an isolate holds: a request is not refused because of one that asks for more, which may be refused", () => {
    const held = new HeldTokens({ perSecond: 100, burst: 500 });
    // Other isolates may have used so many tokens that the first request is refused, and the second is not.
    held.ask(400, 0);
    expect(held.refusedMs(300, 0)).toBe(0);
    held.ask(300, 0);
    expect([held.refusedMs(299, 0), held.refusedMs(300, 0)]).toEqual([0, 1000]);
    // A request for more than the burst is served by a full bucket, as one for the burst is.
    const full = new HeldTokens({ perSecond: 100, burst: 500 });
    full.ask(600, 0);
    expect([full.refusedMs(499, 0), full.refusedMs(500, 0)]).toEqual([0, 6000]);
    full.add(0, { need: 600, more: 0, left: 500, askedMs: 0, nowMs: 0 });
    expect(full.refusedMs(500, 0)).toBe(0);
  });

  test("the tokens that an isolate holds: what a cancelled request has asked for, and what was left, is not believed for long", () => {
    const held = new HeldTokens({ perSecond: 5, burst: 20 });
    expect(askAtOnce(held, 400, 0)).toBe(20);
    expect(held.refusedMs(1, 999)).toBe(200);
    expect(held.refusedMs(1, 1000)).toBe(0);
    expect(held.ask(1, 1000)).toMatchObject({ need: 1 });
    held.add(0, { need: 1, more: 0, left: 0, askedMs: 1000, nowMs: 1000 });
    expect([held.refusedMs(2, 1000), held.refusedMs(2, 1200)]).toEqual([200, 0]);
    // After a second, and after a clock that is set back, another isolate may have given all of it back.
    expect([held.refusedMs(20, 1999), held.refusedMs(20, 2000), held.refusedMs(20, 999)]).toEqual([
      2801, 0, 0,
    ]);
  });
});

test.each([
  ["50", { perSecond: 50, burst: 100 }],
  ["50/200", { perSecond: 50, burst: 200 }],
  ["1/1", { perSecond: 1, burst: 1 }],
  ["50/49", undefined],
  ["0", undefined],
  ["-5", undefined],
  ["1.5", undefined],
  ["50/", undefined],
  ["", undefined],
  ["1000001", undefined],
  ["99999999999", undefined],
])("the rate %j of a setting is read", (text, rate) => {
  expect(parseRate(text)).toEqual(rate);
});

test("a quota limits nothing where it names nothing", () => {
  expect(isUnlimited({})).toBe(true);
  expect(isUnlimited({ requests: undefined, streams: undefined })).toBe(true);
  expect(isUnlimited({ streams: 1 })).toBe(false);
  expect(isUnlimited({ writes: RATE })).toBe(false);
});

test("the RateLimit fields name every policy, and what is left of those that a request has used", () => {
  const quota = { requests: { perSecond: 3, burst: 10 }, elements: RATE, streams: 4 };
  expect(rateLimitFields(quota, new Map([["requests", { left: 7, seconds: 1 }]]))).toEqual({
    "ratelimit-policy":
      '"requests";q=10;w=4, "elements";q=20;qu="elements";w=2, "streams";q=4;qu="concurrent-requests"',
    ratelimit: '"requests";r=7;t=1',
  });
  expect(rateLimitFields({ streams: 4 }, new Map())).toEqual({
    "ratelimit-policy": '"streams";q=4;qu="concurrent-requests"',
  });
});
