import { type Clock, nextMicrosecond, type Timestamp } from "#platform/time.ts";

/** The clock of a ledger. Its dates never decrease, even if the machine's clock is set back. */
export class LogClock {
  readonly #clock: Clock;
  readonly #lastDate: () => Timestamp;

  /** `lastDate` gives the date of the last log entry. */
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
   * A date for an element of a bulk, later than the date of the last entry. The platform's clock stands still within a turn of the event
   * loop. Elements of one turn are therefore dated a microsecond apart, which is the resolution of dates.
   */
  nextReading(): Timestamp {
    const now = this.#clock();
    const last = this.#lastDate();
    return now > last ? now : nextMicrosecond(last);
  }
}
