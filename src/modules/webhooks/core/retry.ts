import type { AttemptOutcome } from "./delivery.ts";
import { type Backoff, waitAfterFailures } from "#platform/work/backoff.ts";

/** When a failed attempt is repeated. */
export interface RetryPolicy {
  readonly backoff: Backoff;
  /** The waits of one generation are no longer than this together. */
  readonly abortAfterMs: number;
  /** 0 sets no limit. */
  readonly maxAttempts: number;
}

/** An attempt as the retry rules see it. Times are in milliseconds. */
export interface AttemptInfo {
  /** Attempts before this one in the generation. */
  readonly index: number;
  /** 0 when no answer came. */
  readonly statusCode: number;
  /** The waits that were planned before it in the generation. Time that went by otherwise does not count. */
  readonly waitedMs: number;
  /** What the endpoint asked for in `Retry-After`. */
  readonly retryAfterMs?: number | undefined;
}

export type Verdict =
  | { readonly status: "succeeded" | "failed"; readonly outcome: AttemptOutcome }
  | {
      readonly status: "pending";
      readonly outcome: "retryable_failure";
      readonly waitMs: number;
    };

/** The longest wait that an endpoint can ask for. */
export const RETRY_AFTER_MS_MAX = 6 * 3_600_000;

/** Decides what the result of an attempt means for its delivery. */
export function judge(attempt: AttemptInfo, policy: RetryPolicy): Verdict {
  const outcome = classify(attempt.statusCode);
  if (outcome === "succeeded") return { status: "succeeded", outcome };
  const waitMs = outcome === "permanent_failure" ? undefined : retryWait(attempt, policy);
  // A retryable result that spends the budget is recorded as permanent.
  return waitMs === undefined
    ? { status: "failed", outcome: "permanent_failure" }
    : { status: "pending", outcome: "retryable_failure", waitMs };
}

/** Success is 2xx. Of the rest, 4xx is final except "timeout" and "slow down"; redirects are not followed and count as failures. */
export function classify(statusCode: number): AttemptOutcome {
  if (statusCode >= 200 && statusCode < 300) return "succeeded";
  if (statusCode === 408 || statusCode === 429) return "retryable_failure";
  return statusCode >= 400 && statusCode < 500 ? "permanent_failure" : "retryable_failure";
}

/**
 * Whether an answer refuses one message only. 401, 403, 404, 405 and 410 say that the endpoint takes nothing from us, or is
 * not there, whatever the message is.
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
