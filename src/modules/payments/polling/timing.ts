import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";
import { type Backoff, waitAfterFailures } from "#platform/work/backoff.ts";

/** Waits between the attempts of one call, in milliseconds. */
const RETRY_BACKOFF: Backoff = { firstMs: 1000, mostMs: 100_000, factor: 2, jitter: 0.2 };
/** Runs are spread by at most this, in milliseconds, and by half of their period. */
const SPREAD_MS_MAX = 300_000;
/** No wait that is meant is longer than the period and its spread by more than this: an hour, as providers may ask for. */
const WAIT_MS_MAX = 3_600_000;

/** When the run after this one is due. Those of many connectors do not fall together. */
export function nextRunAt(now: Timestamp, periodMs: number, random = Math.random): Timestamp {
  const spreadMs = Math.min(periodMs / 2, SPREAD_MS_MAX);
  return fromMillis(Math.round(toMillis(now) + periodMs + random() * spreadMs));
}

/** When a call that has failed so often in a row is made again. */
export const nextAttemptAt = (now: Timestamp, attempts: number): Timestamp =>
  fromMillis(toMillis(now) + waitAfterFailures(RETRY_BACKOFF, attempts, Math.random));

export const after = (now: Timestamp, milliseconds: number): Timestamp =>
  fromMillis(toMillis(now) + milliseconds);

/** The farthest time that anything is planned for. */
export const farthest = (now: Timestamp, periodMs: number): Timestamp =>
  after(now, periodMs + SPREAD_MS_MAX + WAIT_MS_MAX);
