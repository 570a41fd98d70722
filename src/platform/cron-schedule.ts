import { Cron, type CronOptions } from "croner";

/** The times of a cron expression. */
export class CronSchedule {
  readonly #cron: Cron;

  private constructor(cron: Cron) {
    this.#cron = cron;
  }

  /**
   * A schedule in UTC from a text of six fields, the first of which is the seconds; undefined for a malformed text, and for a schedule that
   * never comes due, such as February 30th.
   */
  static parse(text: string): CronSchedule | undefined {
    return CronSchedule.#parse(text, { utcOffset: 0, mode: "6-part" });
  }

  /**
   * A schedule in a time zone from a text of five fields; undefined as for `parse`. A time in an hour that a change of the clock leaves out
   * comes due at the change. A time in an hour that comes twice comes due in the first one, unless the schedule comes due every hour.
   */
  static parseInZone(text: string, zone: string): CronSchedule | undefined {
    return CronSchedule.#parse(text, { timezone: zone, mode: "5-part" });
  }

  static #parse(text: string, options: CronOptions): CronSchedule | undefined {
    try {
      const cron = new Cron(text, { ...options, paused: true });
      const schedule = new CronSchedule(cron);
      return schedule.next(0) === undefined ? undefined : schedule;
    } catch {
      return undefined; // The parser refuses a text only by throwing.
    }
  }

  /** The first due time at or after `atMs`, in milliseconds since the epoch; undefined beyond the year 3000. */
  next(atMs: number): number | undefined {
    if (atMs > TIME_MS_MAX) return undefined;
    // The parser searches after the given time, so the search starts one millisecond earlier.
    return this.#cron.nextRun(new Date(Math.ceil(atMs) - 1))?.getTime();
  }

  /** The last due time at or before `atMs`, in milliseconds since the epoch. */
  last(atMs: number): number | undefined {
    const [run] = this.#cron.previousRuns(1, new Date(Math.floor(atMs) + 1));
    return run?.getTime();
  }
}

/** The end of searches for due times: the year 3000. */
const TIME_MS_MAX = Date.UTC(3000, 0);
