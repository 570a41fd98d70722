import type { Timestamp } from "#platform/time.ts";

/** At most this many dates are kept for certain. */
const DATES_KEPT_MAX = 4096;

/** The dates of the transactions that were inserted last, so that those of a date are found without a search in the table. */
export class RecentDates {
  /** The dates, rising, and the last transaction of each. */
  #dates: Timestamp[] = [];
  #lastIds: number[] = [];

  /** Notes a transaction that comes after all others. */
  add(id: number, date: Timestamp): void {
    if (date === this.#dates.at(-1)) {
      this.#lastIds[this.#lastIds.length - 1] = id;
      return;
    }
    this.#dates.push(date);
    this.#lastIds.push(id);
    if (this.#dates.length > 2 * DATES_KEPT_MAX) {
      this.#dates = this.#dates.slice(-DATES_KEPT_MAX);
      this.#lastIds = this.#lastIds.slice(-DATES_KEPT_MAX);
    }
  }

  /** The last transaction that was inserted by a date; undefined where that is not among the last ones. */
  lastAt(date: Timestamp): number | undefined {
    let [from, to] = [0, this.#dates.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.#dates[middle] ?? date) <= date) from = middle + 1;
      else to = middle;
    }
    return this.#lastIds[from - 1];
  }

  clear(): void {
    this.#dates = [];
    this.#lastIds = [];
  }
}
