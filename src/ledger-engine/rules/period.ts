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

/** How a period is divided: a length in microseconds, or a unit of the calendar in UTC, whose weeks start on Monday. */
export type Interval = bigint | CalendarUnit;
export type CalendarUnit = (typeof CALENDAR_UNITS)[number];

export const CALENDAR_UNITS = ["hour", "day", "week", "month"] as const;

/** A time with its end left out. */
export interface Period {
  /** Undefined for `INTERVALS_STANDARD` intervals before the end, those of the calendar from their begin on. */
  readonly startTime?: Timestamp | undefined;
  readonly endTime: Timestamp;
  readonly interval: Interval;
}

/** Most intervals that a period may have. */
export const INTERVALS_MAX = 1000;
/** So many it has where its start is not given. */
export const INTERVALS_STANDARD = 30;

/** Reads a unit of the calendar, or a duration in Go's notation of a microsecond or more. */
export function parseInterval(text: string): Interval | undefined {
  const unit = CALENDAR_UNITS.find((known) => known === text);
  if (unit !== undefined) return unit;
  const micros = Math.round((parseDurationMs(text) ?? 0) * 1000);
  return micros >= 1 && Number.isFinite(micros) ? BigInt(micros) : undefined;
}

/**
 * The moments between which the intervals of a period lie, its start and end included. Units of the calendar begin where
 * the calendar does, so that the first interval may be shorter than the others, as may be the last of any kind. Throws
 * `VALIDATION` for a period that ends before it starts, or has too many intervals.
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

/** The end lies in the last interval, or is its end. */
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
/** Their length, and where one of them begins: 1970-01-05 is a Monday. */
const FIXED_UNITS = {
  hour: { length: HOUR_MICROS, origin: 0n },
  day: { length: DAY_MICROS, origin: 0n },
  week: { length: 7n * DAY_MICROS, origin: 4n * DAY_MICROS },
} as const;

/** The begin of the unit of the calendar that a moment lies in, or of one so many units later. */
function unitAt(micros: bigint, unit: CalendarUnit, later: number): bigint {
  if (unit === "month") return monthAt(micros, later);
  const { length, origin } = FIXED_UNITS[unit];
  const rest = (micros - origin) % length;
  const begin = micros - (rest < 0n ? rest + length : rest);
  return begin + BigInt(later) * length;
}

const MONTHS = 12;

/** Beyond the years that a timestamp has, the moment right outside them. */
function monthAt(micros: bigint, later: number): bigint {
  const text = fromMicros(micros < MICROS_MIN ? MICROS_MIN : micros);
  const months = Number(text.slice(0, 4)) * MONTHS + Number(text.slice(5, 7)) - 1 + later;
  const year = `${Math.floor(months / MONTHS)}`.padStart(4, "0");
  const month = `${(months % MONTHS) + 1}`.padStart(2, "0");
  const begin = parseTimestamp(`${year}-${month}-01T00:00:00Z`);
  if (begin !== undefined) return toMicros(begin);
  return later < 0 ? MICROS_MIN - 1n : MICROS_MAX + 1n;
}
