import { Cron } from "croner";

/** A schedule in UTC: a cron expression of six fields, of which the first is the seconds. */
export class CronSchedule {
  readonly #cron: Cron;

  private constructor(cron: Cron) {
    this.#cron = cron;
  }

  /** Undefined for a text that is no such expression, and for one whose time never comes, as on February 30th. */
  static parse(text: string): CronSchedule | undefined {
    try {
      const cron = new Cron(text, { paused: true, utcOffset: 0, mode: "6-part" });
      const schedule = new CronSchedule(cron);
      return schedule.next(0) === undefined ? undefined : schedule;
    } catch {
      return undefined; // the one way in which the parser refuses
    }
  }

  /** The first time at `atMs` or after it, in milliseconds since the epoch. Undefined for times far away. */
  next(atMs: number): number | undefined {
    if (atMs > TIME_MS_MAX) return undefined;
    // The parser searches after the given time, so the search starts one millisecond earlier.
    return this.#cron.nextRun(new Date(Math.ceil(atMs) - 1))?.getTime();
  }

  /** The last time at `atMs` or before it, in milliseconds since the epoch. */
  last(atMs: number): number | undefined {
    const [run] = this.#cron.previousRuns(1, new Date(Math.floor(atMs) + 1));
    return run?.getTime();
  }
}

/** Beyond the year 3000, no time is looked for. */
const TIME_MS_MAX = Date.UTC(3000, 0);
