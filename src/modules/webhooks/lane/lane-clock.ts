/** What is stored of a clock. Times are milliseconds since the epoch. */
export interface LaneClockState {
  /** What is added to the time of the machine. */
  readonly offsetMs: number;
  /** The latest time that was read. */
  readonly lastMs: number;
}

/**
 * The time by which a lane plans. It follows the clock of the machine, but never steps back with it: where the machine's
 * clock does, the difference is added from then on. So a wait is never longer than it was planned; a machine's clock that
 * steps forward makes it shorter.
 */
export class LaneClock {
  readonly #wallMs: () => number;
  #offsetMs: number;
  #lastMs: number;

  constructor(wallMs: () => number, { offsetMs, lastMs }: LaneClockState) {
    this.#wallMs = wallMs;
    this.#offsetMs = offsetMs;
    this.#lastMs = lastMs;
  }

  /** The time of the lane, in milliseconds. */
  nowMs(): number {
    return this.#advanceTo(this.#lastMs);
  }

  /** A timer that no step of the machine's clock changes has waited until this time of the lane. */
  hasReached(laneMs: number): void {
    this.#advanceTo(Math.max(laneMs, this.#lastMs));
  }

  /** When a time of the lane comes by the clock of the machine. */
  toWallMs(laneMs: number): number {
    return laneMs - this.#offsetMs;
  }

  get state(): LaneClockState {
    return { offsetMs: this.#offsetMs, lastMs: this.#lastMs };
  }

  /** Reads the machine's clock, and adds what it is behind the least time that is possible. */
  #advanceTo(leastMs: number): number {
    const readMs = this.#wallMs() + this.#offsetMs;
    if (readMs < leastMs) this.#offsetMs += leastMs - readMs;
    this.#lastMs = Math.max(readMs, leastMs);
    return this.#lastMs;
  }
}
