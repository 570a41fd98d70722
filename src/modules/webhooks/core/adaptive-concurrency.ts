/** Most calls of an endpoint that are under way at once, while it answers fast and successfully. */
export const CALLS_MAX = 96;
/**
 * Number of calls that may be under way at once to an endpoint that is slow, fails or was not called yet. The platform keeps six
 * connections of one object open.
 */
export const CALLS_MIN = 6;
/**
 * Longest wait of a call for one of the object's connections, in milliseconds, which limits how many calls are under way. The
 * wait uses up the time of a call (`CALL_TIMEOUT_MS`), so it is about half of that time.
 */
const WAIT_MS_MAX = 8000;
/** Weight of the latest call in the moving average. */
const LATEST_WEIGHT = 0.1;

/**
 * How many calls of an endpoint may be under way at once: `CALLS_MIN * WAIT_MS_MAX / average time of a call`, between `CALLS_MIN`
 * and `CALLS_MAX`. Under a saturated ledger each call waits for many turns of the runtime, so the number of calls at once decides
 * the rate. With a slow endpoint, more calls would only wait for each other.
 */
export class AdaptiveConcurrency {
  /** Exponential moving average of the time of a call, in milliseconds. */
  #averageMs = WAIT_MS_MAX;

  get callsMax(): number {
    const calls = Math.floor((CALLS_MIN * WAIT_MS_MAX) / Math.max(this.#averageMs, 1));
    return Math.min(Math.max(calls, CALLS_MIN), CALLS_MAX);
  }

  /** Counts a call that has ended. A failed call says nothing about the endpoint's speed, so it counts as slow. */
  learn(tookMs: number, hasSucceeded: boolean): void {
    const countedMs = hasSucceeded ? tookMs : Math.max(tookMs, WAIT_MS_MAX);
    this.#averageMs += LATEST_WEIGHT * (countedMs - this.#averageMs);
  }
}
