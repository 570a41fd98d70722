/** How a pipeline waits. All times are in milliseconds. */
export interface Waits {
  /** Between looks at a ledger that had entries a moment ago. */
  readonly pullMs: number;
  /** After a first failure. */
  readonly retryMs: number;
}

/** Longest wait between attempts, in retry periods: repairs show soon, and an endpoint that is gone is not flooded. */
const RETRY_PERIODS_MAX = 6;
/** Longest share of a wait that is put on top of it, so that pipelines which have failed together spread out. */
const JITTER_MAX = 0.5;
/** Longest wait between looks at an idle ledger. */
const IDLE_MS_MAX = 3_600_000;

/** Twice as long after each failure, from the retry period on, and up to half as much again. */
export function retryAfterMs(failures: number, { retryMs }: Waits, random: number): number {
  const periods = Math.min(2 ** (Math.max(failures, 1) - 1), RETRY_PERIODS_MAX);
  return Math.round(retryMs * periods * (1 + random * JITTER_MAX));
}

/**
 * As long as it has been idle so far, at least the pull interval: looks become rarer by half each time. They only make up
 * for a message that got lost, as new entries wake a pipeline.
 */
export const idleAfterMs = (idleMs: number, { pullMs }: Waits): number =>
  Math.min(Math.max(idleMs, pullMs), Math.max(IDLE_MS_MAX, pullMs));
