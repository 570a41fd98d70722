/**
 * Runs an action at most once in an interval: at once where the last run is so long ago, and otherwise when it is, once for
 * all calls meanwhile. A throttle with a leading and a trailing edge:
 *
 *     calls   x x x   x            x
 *     runs    x     x     x        x
 *             └─ i ─┴─ i ─┘
 */
export class Throttle {
  readonly #run: () => void;
  #lastMs: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(run: () => void) {
    this.#run = run;
  }

  /** The interval, in milliseconds, is that of the first call that waits. */
  call(intervalMs: number): void {
    if (this.#timer !== undefined) return;
    const sinceMs = this.#lastMs === undefined ? intervalMs : Date.now() - this.#lastMs;
    // A clock that was set back must not make the wait longer.
    if (sinceMs < 0 || sinceMs >= intervalMs) this.#fire();
    else this.#timer = setTimeout(() => this.#fire(), intervalMs - sinceMs);
  }

  #fire(): void {
    this.#timer = undefined;
    this.#lastMs = Date.now();
    this.#run();
  }
}
