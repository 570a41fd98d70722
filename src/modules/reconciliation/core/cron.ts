import { CronSchedule } from "#platform/cron-schedule.ts";
import { parseDurationMs } from "#platform/duration.ts";

/** The times of a cron schedule, in milliseconds since the epoch. */
export interface CronTimes {
  /** The first time after a moment; undefined where none follows. */
  readonly next: (afterMs: number) => number | undefined;
  /** The last time at or before a moment. */
  readonly last: (atMs: number) => number | undefined;
}

/** Shortest interval of `@every`, in milliseconds: no schedule is finer than a minute. */
const INTERVAL_MS_MIN = 60_000;
const EVERY = "@every ";
const DESCRIPTORS: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};
/** The largest values of the five fields: minute, hour, day of the month, month, day of the week. */
const LARGEST = [59, 23, 31, 12, 6] as const;
const ITEM = /^(?:\*|\?|(\d{1,2}|[a-z]{3})(?:-(?:\d{1,2}|[a-z]{3}))?)(?:\/(\d{1,3}))?$/i;
/** A single value with a step, which stands for a range up to the largest value of the field. */
const OPEN_RANGE = /^(\d{1,2}|[a-z]{3})\/(\d{1,3})$/i;

/**
 * The times of an expression in a zone: five fields, or a descriptor such as `@hourly` or `@every 90m`. Undefined for a malformed
 * expression, an unknown zone, and an expression that never comes due.
 *
 * A time in an hour that a change of the clock leaves out comes due at the change; a time in an hour that comes twice comes due in the
 * first one only, unless the expression names every hour.
 */
export function parseCron(expression: string, zone: string): CronTimes | undefined {
  const text = expression.trim();
  if (text.startsWith(EVERY)) return intervalOf(text.slice(EVERY.length));
  const fields = (DESCRIPTORS[text] ?? text).split(/\s+/);
  if (fields.length !== LARGEST.length) return undefined;
  const normal = fields.map((field, index) => toNormal(field, LARGEST[index] ?? 0));
  if (normal.includes(undefined)) return undefined;
  const schedule = CronSchedule.parseInZone(normal.join(" "), zone);
  if (schedule === undefined) return undefined;
  return {
    next: (afterMs) => schedule.next(Math.floor(afterMs) + 1),
    last: (atMs) => schedule.last(atMs),
  };
}

/** A field in the parser's notation; undefined for a field that standard cron does not have. */
function toNormal(field: string, largest: number): string | undefined {
  const items = field.split(",").map((item) => {
    if (!ITEM.test(item)) return undefined;
    const [, first, step] = OPEN_RANGE.exec(item) ?? [];
    if (first !== undefined) return `${first}-${largest}/${step}`;
    return item.replace("?", "*");
  });
  return items.includes(undefined) ? undefined : items.join(",");
}

/** Times that are multiples of an interval since the epoch. */
function intervalOf(text: string): CronTimes | undefined {
  const intervalMs = parseDurationMs(text.trim());
  if (intervalMs === undefined || intervalMs < INTERVAL_MS_MIN) return undefined;
  return {
    next: (afterMs) => (Math.floor(afterMs / intervalMs) + 1) * intervalMs,
    last: (atMs) => Math.floor(atMs / intervalMs) * intervalMs,
  };
}
