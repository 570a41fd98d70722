import { parseDurationMs } from "#platform/duration.ts";
import { AppError } from "#platform/errors.ts";
import {
  fromMicros,
  MICROS_MAX,
  MICROS_MIN,
  parseTimestamp,
  type Timestamp,
  toMicros,
} from "#platform/time.ts";

/** The interval of a division: a length in microseconds, or a unit of the calendar in UTC. Weeks start on Monday. */
export type Interval = bigint | CalendarUnit;
export type CalendarUnit = (typeof CALENDAR_UNITS)[number];

export const CALENDAR_UNITS = ["hour", "day", "week", "month"] as const;

/** A period from `startTime` (included) to `endTime` (excluded), which is divided into intervals. */
export interface Period {
  /** Undefined for `INTERVALS_STANDARD` intervals before the end. With a unit of the calendar, the period starts with a whole unit. */
  readonly startTime?: Timestamp | undefined;
  readonly endTime: Timestamp;
  readonly interval: Interval;
}

/** Largest number of intervals of a period. */
export const INTERVALS_MAX = 1000;
/** The number of intervals of a period whose start is not given. */
export const INTERVALS_STANDARD = 30;

/** Parses a unit of the calendar, or a duration of at least a microsecond in Go's notation; else undefined. */
export function parseInterval(text: string): Interval | undefined {
  const unit = CALENDAR_UNITS.find((known) => known === text);
  if (unit !== undefined) return unit;
  const micros = Math.round((parseDurationMs(text) ?? 0) * 1000);
  return micros >= 1 && Number.isFinite(micros) ? BigInt(micros) : undefined;
}

/**
 * The boundaries of the intervals of a period, including its start and end. Intervals by a unit of the calendar begin with
 * the unit, so that the first interval may be shorter than the others. The last interval may be shorter as well. Throws
 * `VALIDATION` for a period that ends before it starts, or that has too many intervals.
 */
export function boundariesOf({ startTime, endTime, interval }: Period): Timestamp[] {
  const end = toMicros(endTime);
  const start = startTime === undefined ? standardStart(end, interval) : toMicros(startTime);
  if (start >= end) throw new AppError("VALIDATION", "the period ends before it starts");
  const boundaries = [start];
  for (let at = start; at < end; boundaries.push(at)) {
    if (boundaries.length > INTERVALS_MAX) {
      throw new AppError(
        "VALIDATION",
        `the period has more than ${INTERVALS_MAX} intervals: choose longer ones, or a shorter period`,
      );
    }
    const next = after(at, interval);
    at = next < end ? next : end;
  }
  return boundaries.map(fromMicros);
}

/** The start of a period without a given start. The period's end lies in its last interval, or at the end of this interval. */
function standardStart(end: bigint, interval: Interval): bigint {
  const start =
    typeof interval === "bigint"
      ? end - interval * BigInt(INTERVALS_STANDARD)
      : unitAt(end - 1n, interval, 1 - INTERVALS_STANDARD);
  return start < MICROS_MIN ? MICROS_MIN : start;
}

const after = (at: bigint, interval: Interval): bigint =>
  typeof interval === "bigint" ? at + interval : unitAt(at, interval, 1);

const HOUR_MICROS = 3_600_000_000n;
const DAY_MICROS = 24n * HOUR_MICROS;
/** The lengths of the units, and a time at which a unit begins. 1970-01-05 is a Monday. */
const FIXED_UNITS = {
  hour: { length: HOUR_MICROS, origin: 0n },
  day: { length: DAY_MICROS, origin: 0n },
  week: { length: 7n * DAY_MICROS, origin: 4n * DAY_MICROS },
} as const;

/** The beginning of the calendar unit `later` units after the unit that contains a time. */
function unitAt(micros: bigint, unit: CalendarUnit, later: number): bigint {
  if (unit === "month") return monthAt(micros, later);
  const { length, origin } = FIXED_UNITS[unit];
  const rest = (micros - origin) % length;
  const begin = micros - (rest < 0n ? rest + length : rest);
  return begin + BigInt(later) * length;
}

const MONTHS = 12;

/** The beginning of the month `later` months after a time; if timestamps cannot express it, the nearest time outside of their range. */
function monthAt(micros: bigint, later: number): bigint {
  const text = fromMicros(micros < MICROS_MIN ? MICROS_MIN : micros);
  const months = Number(text.slice(0, 4)) * MONTHS + Number(text.slice(5, 7)) - 1 + later;
  const year = `${Math.floor(months / MONTHS)}`.padStart(4, "0");
  const month = `${(months % MONTHS) + 1}`.padStart(2, "0");
  const begin = parseTimestamp(`${year}-${month}-01T00:00:00Z`);
  if (begin !== undefined) return toMicros(begin);
  return later < 0 ? MICROS_MIN - 1n : MICROS_MAX + 1n;
}
