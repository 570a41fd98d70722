/** How background work takes turns with everything else: for one part of work, so many parts of rest. */
const RESTS_PER_WORK = 9;
/** Longest rest after a turn, in milliseconds. A rest that seems to be longer was begun before the clock stepped back. */
const REST_MS_MAX = 2000;

/**
 * Keeps background work of an isolate to a tenth of its time, whichever objects do it: each turn is followed by a rest that is nine times as
 * long, in which no other turn begins. Where the clock stands still while code runs, as on Cloudflare, turns seem to take no time and only
 * yield: there, objects do not share a thread.
 *
 * ```
 *   object A  ▓▓          wait                      ▓▓
 *   object B      wait           ▓▓       wait
 *               └── rest ──────┘   └── rest ──────┘
 * ```
 */
export class DutyCycle {
  /** When the next turn may begin, in milliseconds since the epoch. */
  #freeMs = 0;

  /** Does a turn of work, which is synchronous, when it may begin. */
  async run<T>(work: () => T): Promise<T> {
    for (;;) {
      const restMs = this.#freeMs - Date.now();
      if (restMs <= 0 || restMs > REST_MS_MAX) break;
      await scheduler.wait(restMs);
    }
    const startMs = Date.now();
    // No other turn begins before it is known how long this one took.
    this.#freeMs = startMs + REST_MS_MAX;
    const result = work();
    await scheduler.wait(0);
    const nowMs = Date.now();
    const tookMs = Math.max(0, nowMs - startMs);
    this.#freeMs = nowMs + Math.min(REST_MS_MAX, tookMs * RESTS_PER_WORK);
    return result;
  }
}
