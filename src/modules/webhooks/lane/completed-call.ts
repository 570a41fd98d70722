import type { DeliveryResult } from "./delivery-results.ts";
import type { DueDelivery } from "./lane-store.ts";
import type { CallResult } from "#modules/webhooks/calls/call.ts";
import { decideRetry, type RetryPolicy } from "#modules/webhooks/core/retry.ts";

export interface CompletedCall {
  readonly result: CallResult;
  /** Start of the call, in milliseconds since the epoch. */
  readonly startedMs: number;
  readonly endpoint: string;
  /** End of the call, by the clock of the lane. */
  readonly laneMs: number;
}

/** Most bytes that are stored of the answer to a successful call. Such answers say little, and there are many. */
const SUCCESS_EXCERPT_BYTES_MAX = 4096;

/** The result of a delivery after a call. */
export function toDeliveryResult(
  { seq, attempts, generation, waitedMs }: DueDelivery,
  { result, startedMs, endpoint, laneMs }: CompletedCall,
  policy: RetryPolicy,
): DeliveryResult {
  const { statusCode, error, responseExcerpt, retryAfterMs, durationMs } = result;
  const verdict = decideRetry({ index: attempts, statusCode, waitedMs, retryAfterMs }, policy);
  const hasSucceeded = verdict.outcome === "succeeded";
  const attempt = {
    isFirst: attempts + generation === 0,
    startedMs,
    endpoint,
    outcome: verdict.outcome,
    statusCode,
    ...(error === undefined ? {} : { error }),
    ...(responseExcerpt === undefined
      ? {}
      : { responseExcerpt: hasSucceeded ? shortened(responseExcerpt) : responseExcerpt }),
    tookMs: durationMs,
  };
  if (verdict.status !== "pending") return { seq, status: verdict.status, waitedMs, attempt };
  const { waitMs } = verdict;
  return {
    seq,
    status: "pending",
    dueMs: laneMs + waitMs,
    waitedMs: waitedMs + waitMs,
    attempt,
  };
}

function shortened(excerpt: string): string {
  // A UTF-16 unit takes at most three bytes in UTF-8.
  if (excerpt.length * 3 <= SUCCESS_EXCERPT_BYTES_MAX) return excerpt;
  const bytes = new TextEncoder().encode(excerpt);
  if (bytes.length <= SUCCESS_EXCERPT_BYTES_MAX) return excerpt;
  return new TextDecoder().decode(bytes.subarray(0, SUCCESS_EXCERPT_BYTES_MAX));
}
