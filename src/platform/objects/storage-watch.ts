import { memoByEnv } from "#platform/memo.ts";

/** How long after a write that found no room storage counts as full, in milliseconds, whatever else is stored meanwhile. */
const FULL_MS = 15_000;

/**
 * Remembers that storage was full, so that health checks find out whether it still is. As long as it was never full, they
 * write nothing. When an isolate ends, this knowledge is lost; the next write that fails restores it.
 */
export class StorageWatch {
  static readonly from = memoByEnv((_env: object) => new StorageWatch(() => Date.now()));

  readonly #nowMs: () => number;
  /** The time of the last write that found no room; undefined if storage counts as healthy. */
  #fullAtMs: number | undefined;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Whether storage was full when a write was last seen. */
  get isFull(): boolean {
    return this.#fullAtMs !== undefined;
  }

  /** Notes that a write found no room. */
  reportFull(): void {
    this.#fullAtMs = this.#nowMs();
  }

  /**
   * Throws as long as storage is full. One database or object may be full where others have room: `tryWrite`, which writes
   * to one that all share, says nothing until no other write has failed for a while.
   */
  async check(tryWrite: () => Promise<void>): Promise<void> {
    if (this.#fullAtMs === undefined) return;
    const nowMs = this.#nowMs();
    // Much time lies between the two as well where the machine's clock was set back.
    if (Math.abs(nowMs - this.#fullAtMs) < FULL_MS) {
      throw new Error("storage was full a moment ago");
    }
    // Anybody may check the health. Until this write has shown that there is room, no other check writes.
    this.#fullAtMs = nowMs;
    await tryWrite();
    // Unless a write has failed meanwhile.
    if (this.#fullAtMs === nowMs) this.#fullAtMs = undefined;
  }
}
