import { describe, expect, test } from "vitest";
import {
  type AttemptInfo,
  classify,
  isExhausted,
  judge,
  RETRY_AFTER_MS_MAX,
  type RetryPolicy,
} from "#modules/webhooks/core/retry.ts";
import { doubling } from "#platform/work/backoff.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const STANDARD: RetryPolicy = {
  backoff: doubling(MINUTE, HOUR),
  abortAfterMs: 10 * HOUR,
  maxAttempts: 15,
};
const FIRST: AttemptInfo = { index: 0, statusCode: 500, cycleStartedMs: 0, respondedMs: 0 };

/** The times of attempts at an endpoint that always answers `statusCode` at once. */
function attemptTimes(policy: RetryPolicy, statusCode = 503): number[] {
  const times = [0];
  for (let index = 0; ; index++) {
    const respondedMs = times.at(-1) ?? 0;
    const verdict = judge({ index, statusCode, cycleStartedMs: 0, respondedMs }, policy);
    if (verdict.status !== "pending") return times;
    times.push(verdict.nextAttemptMs);
  }
}

describe("outcome of a status", () => {
  test.each([200, 201, 204, 299])("%i succeeds", (status) => {
    expect(classify(status)).toBe("succeeded");
  });
  test.each([400, 401, 403, 404, 407, 409, 410, 422, 499])("%i is permanent", (status) => {
    expect(classify(status)).toBe("permanent_failure");
  });
  test.each([0, 100, 199, 300, 301, 307, 308, 408, 429, 500, 502, 503, 504, 599, 600])(
    "%i is worth another attempt",
    (status) => {
      expect(classify(status)).toBe("retryable_failure");
    },
  );
});

describe("schedule", () => {
  test("with the standard settings makes 15 attempts, an hour apart in the end", () => {
    const minutes = attemptTimes(STANDARD).map((ms) => ms / MINUTE);
    expect(minutes).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183, 243, 303, 363, 423, 483, 543]);
  });

  test("with a short budget ends with it", () => {
    const policy = { ...STANDARD, backoff: doubling(SECOND, HOUR), abortAfterMs: 3 * SECOND };
    expect(attemptTimes(policy)).toEqual([0, SECOND, 3 * SECOND]);
  });

  test("without a cap on attempts is ended by time alone", () => {
    const policy = { ...STANDARD, maxAttempts: 0, abortAfterMs: 20 * HOUR };
    const times = attemptTimes(policy);
    expect(times.length).toBeGreaterThan(15);
    expect(times.at(-1)).toBeLessThanOrEqual(20 * HOUR);
  });

  test("waits the maximum after any number of attempts", () => {
    const policy = { ...STANDARD, maxAttempts: 0, abortAfterMs: Number.MAX_SAFE_INTEGER };
    const verdict = judge({ ...FIRST, index: 2000 }, policy);
    expect(verdict).toMatchObject({ status: "pending", nextAttemptMs: HOUR });
  });

  test("without any wait goes on after any number of attempts", () => {
    const policy = { ...STANDARD, backoff: doubling(0, HOUR), maxAttempts: 0 };
    const verdict = judge({ ...FIRST, index: 2000, respondedMs: SECOND }, policy);
    expect(verdict).toMatchObject({ status: "pending", nextAttemptMs: SECOND });
  });

  test("a permanent failure is not repeated", () => {
    expect(attemptTimes(STANDARD, 404)).toEqual([0]);
    expect(judge({ ...FIRST, statusCode: 404 }, STANDARD)).toEqual({
      status: "failed",
      outcome: "permanent_failure",
    });
  });

  test("a retryable result that spends the budget is recorded as permanent", () => {
    expect(judge({ ...FIRST, index: 14 }, STANDARD)).toEqual({
      status: "failed",
      outcome: "permanent_failure",
    });
  });

  test("counts the time that has passed, not only the waits", () => {
    const late = { ...FIRST, index: 1, respondedMs: 10 * HOUR };
    expect(judge(late, STANDARD).status).toBe("failed");
  });

  test("a success counts however late it comes", () => {
    const late = { ...FIRST, index: 14, respondedMs: 20 * HOUR, statusCode: 204 };
    expect(judge(late, STANDARD)).toEqual({ status: "succeeded", outcome: "succeeded" });
  });
});

describe("Retry-After", () => {
  const next = (attempt: Partial<AttemptInfo>): number | undefined => {
    const verdict = judge({ ...FIRST, ...attempt }, STANDARD);
    return verdict.status === "pending" ? verdict.nextAttemptMs : undefined;
  };

  test("counts from the answer when it is longer than the backoff", () => {
    expect(next({ respondedMs: 500, retryAfterMs: 5 * MINUTE })).toBe(500 + 5 * MINUTE);
  });
  test("is ignored when it is shorter", () => {
    expect(next({ retryAfterMs: SECOND })).toBe(MINUTE);
  });
  test("is cut to six hours", () => {
    expect(next({ retryAfterMs: 9 * HOUR })).toBe(RETRY_AFTER_MS_MAX);
  });
  test("that crosses the end of the window ends the delivery", () => {
    expect(next({ respondedMs: 5 * HOUR, retryAfterMs: 6 * HOUR })).toBeUndefined();
  });
});

describe("before an attempt", () => {
  const check = (attemptCount: number, nowMs: number): boolean =>
    isExhausted({ attemptCount, cycleStartedMs: 0 }, nowMs, STANDARD);

  test("a spent cap or window ends the delivery", () => {
    expect(check(15, 0)).toBe(true);
    expect(check(14, 0)).toBe(false);
    expect(check(0, 10 * HOUR)).toBe(false);
    expect(check(0, 10 * HOUR + 1)).toBe(true);
  });
  test("a cap of zero is no cap", () => {
    const policy = { ...STANDARD, maxAttempts: 0 };
    expect(isExhausted({ attemptCount: 500, cycleStartedMs: 0 }, 0, policy)).toBe(false);
  });
});
