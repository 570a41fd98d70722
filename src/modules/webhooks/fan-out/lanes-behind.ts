/** How long a lane counts as behind after it said so, in milliseconds. */
const BEHIND_MS = 1000;
/** Most lanes that are known to be behind. */
const LANES_MAX = 1000;

/**
 * The lanes that have more deliveries waiting than they keep bodies for, by config id. Such a lane would drop bodies, and reads them from
 * the log when it needs them. An entry is a hint, which may be lost without harm.
 */
export class LanesBehind {
  readonly #nowMs: () => number;
  /** Until when each lane counts as behind, in milliseconds since the epoch. */
  readonly #untilMs = new Map<string, number>();

  constructor(nowMs: () => number = Date.now) {
    this.#nowMs = nowMs;
  }

  has(configId: string): boolean {
    const untilMs = this.#untilMs.get(configId);
    return untilMs !== undefined && untilMs > this.#nowMs();
  }

  /** Notes that a lane is behind. With too many lanes, all others count as keeping up again. */
  add(configId: string): void {
    if (this.#untilMs.size >= LANES_MAX) this.#untilMs.clear();
    this.#untilMs.set(configId, this.#nowMs() + BEHIND_MS);
  }

  /** Notes that a lane keeps up. */
  delete(configId: string): void {
    this.#untilMs.delete(configId);
  }
}
