/** The stored state of a clock. Times are milliseconds since the epoch. */
export interface LaneClockState {
  /** Offset from the machine's clock to the clock of the lane. */
  readonly offsetMs: number;
  /** The latest time that the clock has shown. */
  readonly lastMs: number;
}

/**
 * The clock by which a lane plans. It follows the machine's clock but never steps back: when the machine's clock is set back, the
 * difference is added from then on. So no wait becomes longer than planned; a machine's clock that is set forward makes waits
 * shorter.
 *
 *     machine   10 11 12 │ 7  8  9      set back by 6
 *     offset     0  0  0 │ 5  5  5
 *     lane      10 11 12 │12 13 14
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

  /** Tells the clock that a timer has waited until this time of the lane. Timers are not changed by steps of the machine's clock. */
  hasReached(laneMs: number): void {
    this.#advanceTo(Math.max(laneMs, this.#lastMs));
  }

  /** The machine's time at a time of the lane. */
  toWallMs(laneMs: number): number {
    return laneMs - this.#offsetMs;
  }

  get state(): LaneClockState {
    return { offsetMs: this.#offsetMs, lastMs: this.#lastMs };
  }

  /** Reads the machine's clock, and increases the offset if the lane's time would be earlier than `leastMs`. */
  #advanceTo(leastMs: number): number {
    const readMs = this.#wallMs() + this.#offsetMs;
    if (readMs < leastMs) this.#offsetMs += leastMs - readMs;
    this.#lastMs = Math.max(readMs, leastMs);
    return this.#lastMs;
  }
}
