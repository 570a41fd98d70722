/** Most calls of an endpoint that are under way at once, while it answers fast and well. */
export const CALLS_MAX = 96;
/** The same for an endpoint that is slow, fails or is not known yet: the platform keeps so many connections of one object open. */
export const CALLS_MIN = 6;
/**
 * How long a call may wait for one of these connections, in milliseconds: more of them are under way only as long as the last
 * one does not wait longer, because the time of a call runs meanwhile. It is about half of that time.
 */
const WAIT_MS_MAX = 8000;
/** The weight of the latest call in the average. */
const LATEST_WEIGHT = 0.1;

/**
 * How many calls of an endpoint may be under way at once: the more, the faster it answers. Under a saturated ledger, each
 * call waits for many turns of the runtime, so that their number decides the rate; an endpoint that is slow itself would
 * only let them wait for each other.
 */
export class Pace {
  /** How long a call takes on average, in milliseconds. */
  #averageMs = WAIT_MS_MAX;

  get callsMax(): number {
    const calls = Math.floor((CALLS_MIN * WAIT_MS_MAX) / Math.max(this.#averageMs, 1));
    return Math.min(Math.max(calls, CALLS_MIN), CALLS_MAX);
  }

  /** A call took so many milliseconds. One that failed says nothing of how fast the endpoint works: it counts as a slow one. */
  learn(tookMs: number, hasSucceeded: boolean): void {
    const countedMs = hasSucceeded ? tookMs : Math.max(tookMs, WAIT_MS_MAX);
    this.#averageMs += LATEST_WEIGHT * (countedMs - this.#averageMs);
  }
}
