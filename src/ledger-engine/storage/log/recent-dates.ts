import type { Timestamp } from "#platform/time.ts";

/** The number of latest dates that are always kept. Up to twice as many are in memory. */
const DATES_KEPT_MAX = 4096;

/** The insertion dates of the latest transactions, so that the last transaction at a recent date is found without SQL. */
export class RecentDates {
  /** Rising dates, parallel to `#lastIds`. */
  #dates: Timestamp[] = [];
  /** The last transaction of each date. */
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

  /** The last transaction that was inserted at or before a date; undefined if the date is before all kept dates. */
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
