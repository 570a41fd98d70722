import {
  formatTimestamp,
  fromMillis,
  parseTimestamp,
  type Timestamp,
  toMillis,
} from "#platform/time.ts";

const DAY_MS = 86_400_000;
const WEEK = 7;
/** The weekday of 1970-01-01, a Thursday, counted from Monday. */
const EPOCH_WEEKDAY = 3;

/** The number of days from 1970-01-01 to a calendar date, `YYYY-MM-DD`; undefined for a date that does not exist. */
export function dayOf(date: string): number | undefined {
  const timestamp = parseTimestamp(`${date}T00:00:00Z`);
  return timestamp === undefined ? undefined : toMillis(timestamp) / DAY_MS;
}

/** The day of a moment, in UTC. */
export const dayNumberOf = (at: Timestamp): number => Math.floor(toMillis(at) / DAY_MS);

/** The calendar date, `YYYY-MM-DD`, of a number of days since 1970-01-01. */
export const dateOf = (day: number): string =>
  formatTimestamp(fromMillis(day * DAY_MS)).slice(0, "YYYY-MM-DD".length);

/** Whether dates are counted in calendar days, or in days from Monday to Friday. */
export type DayCount = "days" | "businessDays";

/** The distance between two days. A weekend is the Friday before it where business days count. */
export const distanceInDays = (one: number, other: number, count: DayCount): number =>
  count === "days"
    ? Math.abs(one - other)
    : Math.abs(businessDaysBefore(one) - businessDaysBefore(other));

/** The number of business days up to a day, from a Monday that all days share. */
function businessDaysBefore(day: number): number {
  const sinceMonday = day + EPOCH_WEEKDAY;
  const week = Math.floor(sinceMonday / WEEK);
  const weekday = sinceMonday - week * WEEK;
  return week * 5 + Math.min(weekday, 4);
}

/** The largest number of calendar days between two days that are so many days of `count` apart. */
export const calendarReach = (days: number, count: DayCount): number =>
  count === "days" ? days : days + 2 * Math.ceil((days + 1) / 5);
