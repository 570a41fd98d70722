import { type Clock, nextMicrosecond, type Timestamp } from "#platform/time.ts";

/** The clock of a ledger, whose dates never decrease, whatever the machine's clock does. */
export class LogClock {
  readonly #clock: Clock;
  readonly #lastDate: () => Timestamp;

  /** `lastDate` is that of the last entry of the log. */
  constructor(clock: Clock, lastDate: () => Timestamp) {
    this.#clock = clock;
    this.#lastDate = lastDate;
  }

  now(): Timestamp {
    const now = this.#clock();
    const last = this.#lastDate();
    return now < last ? last : now;
  }

  /**
   * A reading of its own for an element of a bulk, later than the date of the entry before it. The platform's clock stands still within
   * a turn, where each further reading is a microsecond later: the smallest difference that the wire knows.
   */
  nextReading(): Timestamp {
    const now = this.#clock();
    const last = this.#lastDate();
    return now > last ? now : nextMicrosecond(last);
  }
}
