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
   * Throws as long as storage is full. One database or object may be full where others have room: `tryWrite` alone, which
   * writes to one that all share, does not say that all is well.
   */
  async check(tryWrite: () => Promise<void>): Promise<void> {
    const fullAtMs = this.#fullAtMs;
    if (fullAtMs === undefined) return;
    await tryWrite();
    if (this.#nowMs() - fullAtMs < FULL_MS) throw new Error("storage was full a moment ago");
    // Unless a write has failed meanwhile.
    if (this.#fullAtMs === fullAtMs) this.#fullAtMs = undefined;
  }
}
