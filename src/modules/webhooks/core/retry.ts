import type { AttemptOutcome } from "./delivery.ts";
import { type Backoff, waitAfterFailures } from "#platform/work/backoff.ts";

/** Limits of the attempts of a delivery. */
export interface RetryPolicy {
  readonly backoff: Backoff;
  /** Longest sum of the waits of one generation, in milliseconds. */
  readonly abortAfterMs: number;
  /** Most attempts of one generation; 0 for no limit. */
  readonly maxAttempts: number;
}

/** An attempt as the retry rules see it. Times are in milliseconds. */
export interface AttemptInfo {
  /** Number of earlier attempts of the generation. */
  readonly index: number;
  /** The HTTP status; 0 if no answer came. */
  readonly statusCode: number;
  /** Sum of the waits that were planned before this attempt in the generation. Other time that went by does not count. */
  readonly waitedMs: number;
  /** The wait that the endpoint asks for in `Retry-After`. */
  readonly retryAfterMs?: number | undefined;
}

export type RetryDecision =
  | { readonly status: "succeeded" | "failed"; readonly outcome: AttemptOutcome }
  | {
      readonly status: "pending";
      readonly outcome: "retryable_failure";
      readonly waitMs: number;
    };

/** Longest wait that an endpoint can ask for, in milliseconds. */
export const RETRY_AFTER_MS_MAX = 6 * 3_600_000;

/** Decides how a delivery continues after an attempt. */
export function decideRetry(attempt: AttemptInfo, policy: RetryPolicy): RetryDecision {
  const outcome = classify(attempt.statusCode);
  if (outcome === "succeeded") return { status: "succeeded", outcome };
  const waitMs = outcome === "permanent_failure" ? undefined : retryWait(attempt, policy);
  // A retryable failure that uses up the attempts or the waits is recorded as permanent.
  return waitMs === undefined
    ? { status: "failed", outcome: "permanent_failure" }
    : { status: "pending", outcome: "retryable_failure", waitMs };
}

/**
 * Status codes 2xx are successes; 4xx are permanent failures, except 408 (timeout) and 429 (too many requests). All others, no
 * answer and redirects are retryable failures; redirects are not followed.
 */
export function classify(statusCode: number): AttemptOutcome {
  if (statusCode >= 200 && statusCode < 300) return "succeeded";
  if (statusCode === 408 || statusCode === 429) return "retryable_failure";
  return statusCode >= 400 && statusCode < 500 ? "permanent_failure" : "retryable_failure";
}

/**
 * Whether an answer refuses one message only. The codes 401, 403, 404, 405 and 410 say that the endpoint takes no message of this
 * config, or is not there.
 */
export const isRefusalOfMessage = (statusCode: number): boolean =>
  classify(statusCode) === "permanent_failure" && !ENDPOINT_REFUSALS.has(statusCode);

const ENDPOINT_REFUSALS: ReadonlySet<number> = new Set([401, 403, 404, 405, 410]);

function retryWait(attempt: AttemptInfo, policy: RetryPolicy): number | undefined {
  if (policy.maxAttempts > 0 && attempt.index + 1 >= policy.maxAttempts) return undefined;
  const standardMs = waitAfterFailures(policy.backoff, attempt.index + 1);
  const asked = Math.min(attempt.retryAfterMs ?? 0, RETRY_AFTER_MS_MAX);
  const waitMs = Math.max(standardMs, asked);
  return attempt.waitedMs + waitMs > policy.abortAfterMs ? undefined : waitMs;
}
