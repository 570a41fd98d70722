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

/** How a period is divided: a length in microseconds, or a unit of the calendar in UTC. Weeks start on Monday. */
export type Interval = bigint | CalendarUnit;
export type CalendarUnit = (typeof CALENDAR_UNITS)[number];

export const CALENDAR_UNITS = ["hour", "day", "week", "month"] as const;

/** A period from `startTime` on and before `endTime`. */
export interface Period {
  /**
   * Undefined stands for `INTERVALS_STANDARD` intervals before the end. Those of the calendar start where their unit
   * does.
   */
  readonly startTime?: Timestamp | undefined;
  readonly endTime: Timestamp;
  readonly interval: Interval;
}

/** Largest number of intervals of a period. */
export const INTERVALS_MAX = 1000;
/** The number of intervals of a period whose start is not given. */
export const INTERVALS_STANDARD = 30;

/** Parses a unit of the calendar, or a duration in Go's notation of at least a microsecond. */
export function parseInterval(text: string): Interval | undefined {
  const unit = CALENDAR_UNITS.find((known) => known === text);
  if (unit !== undefined) return unit;
  const micros = Math.round((parseDurationMs(text) ?? 0) * 1000);
  return micros >= 1 && Number.isFinite(micros) ? BigInt(micros) : undefined;
}

/**
 * The boundaries of the intervals of a period, including its start and end. Units of the calendar begin where the
 * calendar does, so that the first interval may be shorter than the others. So may the last one, of any kind. Throws
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

/** The end of the period lies in the last interval, or at its end. */
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
/** The lengths of the units, and a time at which one of them begins: 1970-01-05 is a Monday. */
const FIXED_UNITS = {
  hour: { length: HOUR_MICROS, origin: 0n },
  day: { length: DAY_MICROS, origin: 0n },
  week: { length: 7n * DAY_MICROS, origin: 4n * DAY_MICROS },
} as const;

/** The beginning of the calendar unit that contains a time, or of the unit that comes `later` units after it. */
function unitAt(micros: bigint, unit: CalendarUnit, later: number): bigint {
  if (unit === "month") return monthAt(micros, later);
  const { length, origin } = FIXED_UNITS[unit];
  const rest = (micros - origin) % length;
  const begin = micros - (rest < 0n ? rest + length : rest);
  return begin + BigInt(later) * length;
}

const MONTHS = 12;

/** The beginning of a month. Outside the years of timestamps, it is the first time outside of them. */
function monthAt(micros: bigint, later: number): bigint {
  const text = fromMicros(micros < MICROS_MIN ? MICROS_MIN : micros);
  const months = Number(text.slice(0, 4)) * MONTHS + Number(text.slice(5, 7)) - 1 + later;
  const year = `${Math.floor(months / MONTHS)}`.padStart(4, "0");
  const month = `${(months % MONTHS) + 1}`.padStart(2, "0");
  const begin = parseTimestamp(`${year}-${month}-01T00:00:00Z`);
  if (begin !== undefined) return toMicros(begin);
  return later < 0 ? MICROS_MIN - 1n : MICROS_MAX + 1n;
}
