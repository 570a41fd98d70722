import { assert } from "#platform/assert.ts";

/** How the waits between attempts grow. All times are in milliseconds. */
export interface Backoff {
  /** The wait after the first failure. */
  readonly firstMs: number;
  /** Where the growth ends. Jitter comes on top, so that also the longest waits spread out. */
  readonly mostMs: number;
  /** What each further failure multiplies the wait by. */
  readonly factor: number;
  /** The largest share of a wait that is added to it, from 0 to 1: parties that failed together spread out. */
  readonly jitter: number;
}

/** Returns a number from 0 on and below 1. */
export type Random = () => number;

/** The policy that doubles from one wait to another without any jitter. */
export const doubling = (firstMs: number, mostMs: number): Backoff => ({
  firstMs,
  mostMs,
  factor: 2,
  jitter: 0,
});

/** The wait after so many failures in a row, the first of which is number 1. It is bounded for any number of them. */
export function waitAfterFailures(
  backoff: Backoff,
  failures: number,
  random: Random = NO_JITTER,
): number {
  assertSound(backoff);
  const { firstMs, mostMs, factor } = backoff;
  const growth = factor ** (Math.max(failures, 1) - 1);
  // A first wait of zero stays zero however often it is multiplied. Zero times an infinite growth would be NaN.
  const grownMs = firstMs === 0 ? 0 : Math.min(firstMs * growth, mostMs);
  return withJitter(backoff, grownMs, random);
}

/**
 * The wait of a caller who knows since when it has been waiting, but not how often it has polled: the elapsed time
 * grows by the factor from one poll to the next.
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
