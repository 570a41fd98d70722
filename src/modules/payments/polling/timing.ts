import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";
import { type Backoff, waitAfterFailures } from "#platform/work/backoff.ts";

/** Waits before a failed call is repeated, in milliseconds. */
const RETRY_BACKOFF: Backoff = { firstMs: 1000, mostMs: 100_000, factor: 2, jitter: 0.2 };
/** Runs are spread over this time, in milliseconds, or over half of their period if it is shorter. */
const SPREAD_MS_MAX = 300_000;
/**
 * Longest planned wait beyond a period and its spread, in milliseconds: an hour, which is the longest pause that a provider
 * may ask for.
 */
const WAIT_MS_MAX = 3_600_000;

/** The time of the run after a successful one. Runs of many connectors are spread over time. */
export function nextRunAt(now: Timestamp, periodMs: number, random = Math.random): Timestamp {
  const spreadMs = Math.min(periodMs / 2, SPREAD_MS_MAX);
  return fromMillis(Math.round(toMillis(now) + periodMs + random() * spreadMs));
}

/** Longest wait after a failed run, in milliseconds: an hour with the jitter. */
const PAUSE_MS_MAX = 3_000_000;
const PAUSE_JITTER = 0.2;

/** Waits between the probes of a paused schedule, which grow from its period on. */
const probing = (periodMs: number): Backoff => ({
  firstMs: Math.min(periodMs, PAUSE_MS_MAX),
  mostMs: PAUSE_MS_MAX,
  factor: 2,
  jitter: PAUSE_JITTER,
});

/** The time of the run after a failed one: after the period, but within an hour. */
export function nextRunAfterFailure(
  now: Timestamp,
  periodMs: number,
  random = Math.random,
): Timestamp {
  const latest = waitAfterFailures({ ...probing(periodMs), firstMs: PAUSE_MS_MAX }, 1, random);
  const [next, bound] = [nextRunAt(now, periodMs, random), plusMillis(now, latest)];
  return next < bound ? next : bound;
}

/** The time of a paused schedule's next probe, whose number since the pause is `probe`. */
export const nextProbeAt = (now: Timestamp, periodMs: number, probe: number): Timestamp =>
  plusMillis(now, waitAfterFailures(probing(periodMs), probe, Math.random));

/** Waits before a fetch that has failed in many runs is tried again, in milliseconds. */
const ITEM_BACKOFF: Backoff = { firstMs: 600_000, mostMs: 1_500_000, factor: 2, jitter: 0.2 };

/** The time until which runs leave out a fetch. `failures` counts its failed runs from `FAILURES_MAX` on. */
export const nextItemAt = (now: Timestamp, failures: number): Timestamp =>
  plusMillis(now, waitAfterFailures(ITEM_BACKOFF, failures, Math.random));

/** The time at which a call that has failed `attempts` times in a row is repeated. */
export const nextAttemptAt = (now: Timestamp, attempts: number): Timestamp =>
  fromMillis(toMillis(now) + waitAfterFailures(RETRY_BACKOFF, attempts, Math.random));

export const plusMillis = (now: Timestamp, milliseconds: number): Timestamp =>
  fromMillis(toMillis(now) + milliseconds);

/** The latest time that can be planned. */
export const latestPlannedTime = (now: Timestamp, periodMs: number): Timestamp =>
  plusMillis(now, periodMs + SPREAD_MS_MAX + WAIT_MS_MAX);
