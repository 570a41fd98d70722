import { memoByEnv } from "#platform/memo.ts";

/** Time for which storage counts as full after a write that found no room, in milliseconds, even if other writes succeed. */
const FULL_MS = 15_000;

/**
 * Remembers that storage was full, so that health checks test whether it still is. Health checks write nothing while storage was never
 * full. The knowledge ends with the isolate; the next failed write restores it.
 */
export class StorageWatch {
  static readonly from = memoByEnv((_env: object) => new StorageWatch(() => Date.now()));

  readonly #nowMs: () => number;
  /** The time of the last write that found no room; undefined if storage counts as healthy. */
  #fullAtMs: number | undefined;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Whether storage counts as full. */
  get isFull(): boolean {
    return this.#fullAtMs !== undefined;
  }

  /** Records that a write found no room. */
  reportFull(): void {
    this.#fullAtMs = this.#nowMs();
  }

  /**
   * Throws while storage is full. One database or object may be full while others have room: `tryWrite` writes to a shared object, so that
   * its success counts only when no other write has failed for a while.
   */
  async check(tryWrite: () => Promise<void>): Promise<void> {
    if (this.#fullAtMs === undefined) return;
    const nowMs = this.#nowMs();
    // The absolute value also covers a clock that was set back.
    if (Math.abs(nowMs - this.#fullAtMs) < FULL_MS) {
      throw new Error("storage was full a moment ago");
    }
    // Anybody may check the health, so that only one check writes at a time.
    this.#fullAtMs = nowMs;
    await tryWrite();
    // A concurrent write may have failed in the meantime, which keeps storage full.
    if (this.#fullAtMs === nowMs) this.#fullAtMs = undefined;
  }
}
