/**
 * Runs writes in groups that are stored together. A flush to disk takes longer than a transaction and holds up whatever
 * comes meanwhile, so writes that arrive during one wait for its end and then run in one turn, which is flushed once.
 * Without others a write runs at once. Each is still a transaction of its own.
 */
export class GroupCommit {
  readonly #flush: () => Promise<void>;
  #waiting: (() => void)[] = [];
  #isFlushing = false;

  /** `flush` resolves when all that was written is stored. */
  constructor(flush: () => Promise<void>) {
    this.#flush = flush;
  }

  /** Runs `work` in its turn and gives its result, which nobody may see before it is stored. */
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
      // A flush that fails resets the object, and with it everybody who waits here; their answers never leave.
      await this.#flush().catch(() => undefined);
    }
    this.#isFlushing = false;
  }
}
