import type { AttemptOutcome } from "./delivery.ts";
import { type Backoff, waitAfterFailures } from "#platform/work/backoff.ts";

/** When a failed attempt is repeated. */
export interface RetryPolicy {
  readonly backoff: Backoff;
  /** No attempt starts later than this after the first claim of its generation. */
  readonly abortAfterMs: number;
  /** 0 sets no limit. */
  readonly maxAttempts: number;
}

/** An attempt as the retry rules see it. Times are milliseconds since the epoch. */
export interface AttemptInfo {
  /** Attempts before this one in the generation. */
  readonly index: number;
  /** 0 when no answer came. */
  readonly statusCode: number;
  readonly cycleStartedMs: number;
  readonly respondedMs: number;
  /** What the endpoint asked for in `Retry-After`. */
  readonly retryAfterMs?: number;
}

export type Verdict =
  | { readonly status: "succeeded" | "failed"; readonly outcome: AttemptOutcome }
  | {
      readonly status: "pending";
      readonly outcome: "retryable_failure";
      readonly nextAttemptMs: number;
    };

/** The longest wait that an endpoint can ask for. */
export const RETRY_AFTER_MS_MAX = 6 * 3_600_000;

/** Decides what the result of an attempt means for its delivery. */
export function judge(attempt: AttemptInfo, policy: RetryPolicy): Verdict {
  const outcome = classify(attempt.statusCode);
  if (outcome === "succeeded") return { status: "succeeded", outcome };
  const nextAttemptMs = outcome === "permanent_failure" ? undefined : retryTime(attempt, policy);
  // A retryable result that spends the budget is recorded as permanent.
  return nextAttemptMs === undefined
    ? { status: "failed", outcome: "permanent_failure" }
    : { status: "pending", outcome: "retryable_failure", nextAttemptMs };
}

/** Success is 2xx. Of the rest, 4xx is final except "timeout" and "slow down"; redirects are not followed and count as failures. */
export function classify(statusCode: number): AttemptOutcome {
  if (statusCode >= 200 && statusCode < 300) return "succeeded";
  if (statusCode === 408 || statusCode === 429) return "retryable_failure";
  return statusCode >= 400 && statusCode < 500 ? "permanent_failure" : "retryable_failure";
}

/**
 * Whether a delivery has used up its attempts or its time. This is checked before each attempt, because time also
 * passes while nothing runs.
 */
export function isExhausted(
  { attemptCount, cycleStartedMs }: { attemptCount: number; cycleStartedMs: number },
  nowMs: number,
  policy: RetryPolicy,
): boolean {
  const isCapped = policy.maxAttempts > 0 && attemptCount >= policy.maxAttempts;
  return (attemptCount > 0 && isCapped) || nowMs - cycleStartedMs > policy.abortAfterMs;
}

function retryTime(attempt: AttemptInfo, policy: RetryPolicy): number | undefined {
  if (policy.maxAttempts > 0 && attempt.index + 1 >= policy.maxAttempts) return undefined;
  let scheduledMs = 0;
  let waitMs = 0;
  for (let failures = 1; failures <= attempt.index + 1; failures++) {
    waitMs = waitAfterFailures(policy.backoff, failures);
    scheduledMs += waitMs;
  }
  if (scheduledMs > policy.abortAfterMs) return undefined;
  const asked = Math.min(attempt.retryAfterMs ?? 0, RETRY_AFTER_MS_MAX);
  const nextMs = attempt.respondedMs + Math.max(waitMs, asked);
  return nextMs - attempt.cycleStartedMs > policy.abortAfterMs ? undefined : nextMs;
}
