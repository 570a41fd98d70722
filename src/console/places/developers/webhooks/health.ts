import type { Delivery } from "./queries.ts";

/** What the newest deliveries of an endpoint say about it. */
export interface DeliveryHealth {
  /** Deliveries that have an end: the endpoint has taken them, or their retries are over. */
  readonly succeeded: number;
  readonly failed: number;
  /** The share of those that succeeded, from 0 to 1; undefined while none has an end. */
  readonly rate: number | undefined;
  /** The middle of the times from an event to the endpoint's answer, in milliseconds; undefined while nothing has arrived. */
  readonly delayMs: number | undefined;
  /** What has gone wrong since the last success; undefined if the last attempt succeeded. */
  readonly failing: Failing | undefined;
  /** When the oldest delivery came that waits for its first attempt longer than it should; undefined if none does. */
  readonly waitingSince: string | undefined;
}

export interface Failing {
  /** When the oldest delivery came that has failed since the last success, as RFC 3339. */
  readonly since: string;
  /** Whether the endpoint may have failed longer, because no delivery among these succeeded. */
  readonly mayBeLonger: boolean;
  /** The status of the last answer; 0 if none came. */
  readonly statusCode: number;
  readonly error: string | undefined;
}

/** The health of an endpoint by its newest deliveries, in any order. */
export function healthOf(deliveries: readonly Delivery[], nowMs: number): DeliveryHealth {
  const taken = deliveries.filter(({ status }) => status === "succeeded");
  const failed = deliveries.filter(({ status }) => status === "failed").length;
  const ended = taken.length + failed;
  return {
    succeeded: taken.length,
    failed,
    rate: ended === 0 ? undefined : taken.length / ended,
    delayMs: medianOf(
      taken.map(({ createdAt, updatedAt }) => Date.parse(updatedAt) - Date.parse(createdAt)),
    ),
    failing: failingOf(deliveries),
    waitingSince: waitingSince(deliveries, nowMs),
  };
}

/** The failures after the last success, by the times of the last attempts. */
function failingOf(deliveries: readonly Delivery[]): Failing | undefined {
  const attempted = deliveries
    .filter(({ lastAttemptAt }) => lastAttemptAt !== undefined)
    .toSorted((a, b) => timeOf(b) - timeOf(a));
  const success = attempted.findIndex(({ status }) => status === "succeeded");
  const failures = success === -1 ? attempted : attempted.slice(0, success);
  const [last] = failures;
  if (last === undefined) return undefined;
  const [since = last.createdAt] = failures.map(({ createdAt }) => createdAt).toSorted();
  return {
    since,
    mayBeLonger: success === -1,
    statusCode: last.lastStatusCode ?? 0,
    error: last.lastError,
  };
}

/** Time for which a delivery may wait for its first attempt, in milliseconds. */
const FIRST_ATTEMPT_MS = 60_000;

function waitingSince(deliveries: readonly Delivery[], nowMs: number): string | undefined {
  const [oldest] = deliveries
    .filter(({ status, lastAttemptAt }) => status === "pending" && lastAttemptAt === undefined)
    .map(({ createdAt }) => createdAt)
    .toSorted();
  return oldest !== undefined && nowMs - Date.parse(oldest) > FIRST_ATTEMPT_MS ? oldest : undefined;
}

const timeOf = ({ lastAttemptAt = "" }: Delivery): number => Date.parse(lastAttemptAt);

function medianOf(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/** What to do about an answer, in the place's words. */
export type Advice =
  | "unreachable"
  | "refused"
  | "missing"
  | "method"
  | "moved"
  | "server"
  | "message";

export function adviceOn(statusCode: number): Advice {
  if (statusCode === 0) return "unreachable";
  if (statusCode < 400) return "moved";
  if (statusCode === 401 || statusCode === 403) return "refused";
  if (statusCode === 404 || statusCode === 410) return "missing";
  if (statusCode === 405) return "method";
  return statusCode >= 500 ? "server" : "message";
}
