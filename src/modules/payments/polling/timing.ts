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

/** The longest wait after a failed run, in milliseconds: an hour with its jitter. */
const PAUSE_MS_MAX = 3_000_000;
const PAUSE_JITTER = 0.2;

/** How the waits between the probes of a paused schedule grow from its period on. */
const probing = (periodMs: number): Backoff => ({
  firstMs: Math.min(periodMs, PAUSE_MS_MAX),
  mostMs: PAUSE_MS_MAX,
  factor: 2,
  jitter: PAUSE_JITTER,
});

/** When a run after a failed one is due: the next one in its turn, but no later than in an hour. */
export function nextRunAfterFailure(
  now: Timestamp,
  periodMs: number,
  random = Math.random,
): Timestamp {
  const latest = waitAfterFailures({ ...probing(periodMs), firstMs: PAUSE_MS_MAX }, 1, random);
  const [next, bound] = [nextRunAt(now, periodMs, random), after(now, latest)];
  return next < bound ? next : bound;
}

/** When the probe of that number is due of a schedule that is paused. */
export const nextProbeAt = (now: Timestamp, periodMs: number, probe: number): Timestamp =>
  after(now, waitAfterFailures(probing(periodMs), probe, Math.random));

/** Waits before a fetch of one item is tried again that has failed in many runs, in milliseconds. */
const ITEM_BACKOFF: Backoff = { firstMs: 600_000, mostMs: 1_500_000, factor: 2, jitter: 0.2 };

/** When a fetch is no longer left out that has failed in so many runs more than it may. */
export const nextItemAt = (now: Timestamp, failures: number): Timestamp =>
  after(now, waitAfterFailures(ITEM_BACKOFF, failures, Math.random));

/** When a call that has failed so often in a row is made again. */
export const nextAttemptAt = (now: Timestamp, attempts: number): Timestamp =>
  fromMillis(toMillis(now) + waitAfterFailures(RETRY_BACKOFF, attempts, Math.random));

export const after = (now: Timestamp, milliseconds: number): Timestamp =>
  fromMillis(toMillis(now) + milliseconds);

/** The farthest time that anything is planned for. */
export const farthest = (now: Timestamp, periodMs: number): Timestamp =>
  after(now, periodMs + SPREAD_MS_MAX + WAIT_MS_MAX);
