/** Parts of rest for each part of background work. */
const RESTS_PER_WORK = 9;
/** Longest rest after a turn, in milliseconds. A rest that seems longer began before the clock stepped back. */
const REST_MS_MAX = 2000;

/**
 * Limits background work of an isolate to a tenth of its time, over all objects: a rest nine times as long follows each turn, and no other
 * turn begins in a rest. On Cloudflare, where the clock stands still while code runs, turns seem to take no time and only yield; objects do
 * not share a thread there.
 *
 * ```
 *   object A  ▓▓          wait                      ▓▓
 *   object B      wait           ▓▓       wait
 *               └── rest ──────┘   └── rest ──────┘
 * ```
 */
export class DutyCycle {
  /** The time at which the next turn may begin, in milliseconds since the epoch. */
  #freeMs = 0;

  /** Does a turn of synchronous work when a turn may begin. */
  async run<T>(work: () => T): Promise<T> {
    for (;;) {
      const restMs = this.#freeMs - Date.now();
      if (restMs <= 0 || restMs > REST_MS_MAX) break;
      await scheduler.wait(restMs);
    }
    const startMs = Date.now();
    // No other turn begins until the length of the current turn is known.
    this.#freeMs = startMs + REST_MS_MAX;
    const result = work();
    await scheduler.wait(0);
    const nowMs = Date.now();
    const tookMs = Math.max(0, nowMs - startMs);
    this.#freeMs = nowMs + Math.min(REST_MS_MAX, tookMs * RESTS_PER_WORK);
    return result;
  }
}
