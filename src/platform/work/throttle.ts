/**
 * Runs an action at most once in an interval: a throttle with a leading and a trailing edge. A call runs the action at once if the last run is at
 * least an interval ago. Otherwise the action runs at the end of the interval, once for all calls that came meanwhile.
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

  /**
   * Runs the action now or at the end of the interval. `intervalMs` counts for a call that runs the action or begins a wait; a
   * call during a wait joins the wait.
   */
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
