import { assert } from "#platform/assert.ts";

/** A policy of exponential backoff: the growth of waits between attempts. All times are in milliseconds. */
export interface Backoff {
  /** The wait after the first failure. */
  readonly firstMs: number;
  /** The longest wait before jitter. Jitter is added later, so that also the longest waits spread out. */
  readonly mostMs: number;
  /** The factor by which each further failure multiplies the wait. */
  readonly factor: number;
  /** The largest share of a wait that is added to it at random, from 0 to 1, so that parties that failed together spread out. */
  readonly jitter: number;
}

/** Returns a number in [0, 1). */
export type Random = () => number;

/** The policy that doubles each wait and has no jitter. */
export const doubling = (firstMs: number, mostMs: number): Backoff => ({
  firstMs,
  mostMs,
  factor: 2,
  jitter: 0,
});

/** The wait after `failures` consecutive failures, counted from 1. The wait is bounded for any number. */
export function waitAfterFailures(
  backoff: Backoff,
  failures: number,
  random: Random = NO_JITTER,
): number {
  assertSound(backoff);
  const { firstMs, mostMs, factor } = backoff;
  const growth = factor ** (Math.max(failures, 1) - 1);
  // A first wait of zero stays zero; zero times an infinite growth would be NaN.
  const grownMs = firstMs === 0 ? 0 : Math.min(firstMs * growth, mostMs);
  return withJitter(backoff, grownMs, random);
}

/**
 * The wait of a caller that knows the time since its first poll, but not the number of its polls: the elapsed time grows by the factor from
 * one poll to the next.
 */
export function waitAfterElapsed(
  backoff: Backoff,
  elapsedMs: number,
  random: Random = NO_JITTER,
): number {
  assertSound(backoff);
  const { firstMs, mostMs, factor } = backoff;
  const grownMs = Math.min(Math.max(elapsedMs * (factor - 1), firstMs), mostMs);
  return withJitter(backoff, grownMs, random);
}

const NO_JITTER: Random = () => 0;

const withJitter = ({ jitter }: Backoff, waitMs: number, random: Random): number =>
  Math.round(waitMs * (1 + random() * jitter));

function assertSound({ firstMs, mostMs, factor, jitter }: Backoff): void {
  const isSound =
    firstMs >= 0 && mostMs >= 0 && Number.isFinite(mostMs) && factor >= 1 && jitter >= 0;
  assert(isSound && jitter <= 1, "a backoff grows from a wait to a longer one");
}
