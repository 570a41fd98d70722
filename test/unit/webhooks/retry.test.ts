import { describe, expect, test } from "vitest";
import {
  type AttemptInfo,
  classify,
  decideRetry,
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
const FIRST: AttemptInfo = { index: 0, statusCode: 500, waitedMs: 0 };

/** The times of attempts at an endpoint that always answers `statusCode` at once. */
function attemptTimes(policy: RetryPolicy, statusCode = 503): number[] {
  const times = [0];
  for (let index = 0; ; index++) {
    const waitedMs = times.at(-1) ?? 0;
    const verdict = decideRetry({ index, statusCode, waitedMs }, policy);
    if (verdict.status !== "pending") return times;
    times.push(waitedMs + verdict.waitMs);
  }
}

describe("outcome of a status", () => {
  test.each([200, 201, 204, 299])("the status %i succeeds", (status) => {
    expect(classify(status)).toBe("succeeded");
  });
  test.each([400, 401, 403, 404, 407, 409, 410, 422, 499])(
    "the status %i is permanent",
    (status) => {
      expect(classify(status)).toBe("permanent_failure");
    },
  );
  test.each([0, 100, 199, 300, 301, 307, 308, 408, 429, 500, 502, 503, 504, 599, 600])(
    "the status %i is worth another attempt",
    (status) => {
      expect(classify(status)).toBe("retryable_failure");
    },
  );
});

describe("schedule", () => {
  test("the schedule of attempts with the standard settings makes 15 attempts, an hour apart in the end", () => {
    const minutes = attemptTimes(STANDARD).map((ms) => ms / MINUTE);
    expect(minutes).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183, 243, 303, 363, 423, 483, 543]);
  });

  test("the schedule of attempts with a short budget ends with it", () => {
    const policy = { ...STANDARD, backoff: doubling(SECOND, HOUR), abortAfterMs: 3 * SECOND };
    expect(attemptTimes(policy)).toEqual([0, SECOND, 3 * SECOND]);
  });

  test("the schedule of attempts without a cap on attempts is ended by time alone", () => {
    const policy = { ...STANDARD, maxAttempts: 0, abortAfterMs: 20 * HOUR };
    const times = attemptTimes(policy);
    expect(times.length).toBeGreaterThan(15);
    expect(times.at(-1)).toBeLessThanOrEqual(20 * HOUR);
  });

  test("the schedule of attempts waits the maximum after any number of attempts", () => {
    const policy = { ...STANDARD, maxAttempts: 0, abortAfterMs: Number.MAX_SAFE_INTEGER };
    const verdict = decideRetry({ ...FIRST, index: 2000 }, policy);
    expect(verdict).toMatchObject({ status: "pending", waitMs: HOUR });
  });

  test("the schedule of attempts without any wait goes on after any number of attempts", () => {
    const policy = { ...STANDARD, backoff: doubling(0, HOUR), maxAttempts: 0 };
    const verdict = decideRetry({ ...FIRST, index: 2000 }, policy);
    expect(verdict).toMatchObject({ status: "pending", waitMs: 0 });
  });

  test("a permanent failure is not repeated", () => {
    expect(attemptTimes(STANDARD, 404)).toEqual([0]);
    expect(decideRetry({ ...FIRST, statusCode: 404 }, STANDARD)).toEqual({
      status: "failed",
      outcome: "permanent_failure",
    });
  });

  test("a retryable result that spends the budget is recorded as permanent", () => {
    expect(decideRetry({ ...FIRST, index: 14 }, STANDARD)).toEqual({
      status: "failed",
      outcome: "permanent_failure",
    });
  });

  test("the schedule of attempts counts the waits that were planned, longer ones that the endpoint asked for included", () => {
    expect(decideRetry({ ...FIRST, index: 1, waitedMs: 10 * HOUR - MINUTE }, STANDARD).status).toBe(
      "failed",
    );
    expect(decideRetry({ ...FIRST, index: 1, waitedMs: 9 * HOUR }, STANDARD).status).toBe(
      "pending",
    );
  });

  test("a success counts however late it comes", () => {
    expect(decideRetry({ index: 14, waitedMs: 20 * HOUR, statusCode: 204 }, STANDARD)).toEqual({
      status: "succeeded",
      outcome: "succeeded",
    });
  });
});

describe("Retry-After", () => {
  const next = (attempt: Partial<AttemptInfo>): number | undefined => {
    const verdict = decideRetry({ ...FIRST, ...attempt }, STANDARD);
    return verdict.status === "pending" ? verdict.waitMs : undefined;
  };

  test("Retry-After counts when it is longer than the backoff", () => {
    expect(next({ retryAfterMs: 5 * MINUTE })).toBe(5 * MINUTE);
  });
  test("Retry-After is ignored when it is shorter", () => {
    expect(next({ retryAfterMs: SECOND })).toBe(MINUTE);
  });
  test("Retry-After is cut to six hours", () => {
    expect(next({ retryAfterMs: 9 * HOUR })).toBe(RETRY_AFTER_MS_MAX);
  });
  test("Retry-After that crosses the end of the window ends the delivery", () => {
    expect(next({ waitedMs: 5 * HOUR, retryAfterMs: 6 * HOUR })).toBeUndefined();
  });
});
