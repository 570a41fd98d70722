/**
 * Runs writes in groups that are stored together. A flush to disk takes longer than a transaction, and delays everything that comes
 * meanwhile. Writes that arrive during a flush therefore wait for its end, and then run in one turn, which is flushed once:
 *
 *     arrive    1     2 3                  4
 *     run       1                2 3                  4
 *     flush     ├────── 1 ──────┤├────── 2, 3 ───────┤├───── 4 ─────┤
 *     answer                     1                    2 3            4
 *
 * A write that arrives alone runs at once. Each write is a transaction of its own. Answers leave the object only once their writes are
 * stored, which the platform ensures.
 */
export class GroupCommit {
  readonly #flush: () => Promise<void>;
  #waiting: (() => void)[] = [];
  #isFlushing = false;

  /** `flush` resolves when everything that was written is stored. */
  constructor(flush: () => Promise<void>) {
    this.#flush = flush;
  }

  /** Runs `work` in its turn, and returns its result. */
  run<T>(work: () => T): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<T>();
    this.#waiting.push(() => resolve(Promise.try(work)));
    if (!this.#isFlushing) void this.#drain();
    return promise;
  }

  async #drain(): Promise<void> {
    this.#isFlushing = true;
    while (this.#waiting.length > 0) {
      const group = this.#waiting;
      this.#waiting = [];
      for (const work of group) work();
      // A flush that fails resets the object. Waiting calls are lost with it, and their answers never leave.
      await this.#flush().catch(() => undefined);
    }
    this.#isFlushing = false;
  }
}
