import type { PeriodType } from "./rule.ts";
import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";

/** The only period of continuous rules. */
export const CONTINUOUS = "continuous";

const DAY_MS = 24 * 3_600_000;
/** The weekday of the Unix epoch, a Thursday, counted from 0 for Monday. */
const EPOCH_WEEKDAY = 3;

/**
 * The period that a moment belongs to, in UTC: `2026-03-04`, the week of ISO 8601 `2026-W10`, `2026-03`, or `continuous`.
 */
export function periodOf(type: PeriodType, at: Timestamp): string {
  switch (type) {
    case "continuous":
      return CONTINUOUS;
    case "daily":
      return at.slice(0, 10);
    case "weekly":
      return isoWeekOf(at);
    case "monthly":
      return at.slice(0, 7);
  }
}

/** The week of ISO 8601: weeks begin on Mondays, and a week belongs to the year of its Thursday. */
function isoWeekOf(at: Timestamp): string {
  const day = Math.floor(toMillis(at) / DAY_MS);
  const weekday = (((day + EPOCH_WEEKDAY) % 7) + 7) % 7; // 0 for Monday
  const thursday = day - weekday + 3;
  const year = fromMillis(thursday * DAY_MS).slice(0, 4);
  const newYear = toMillis(`${year}-01-01T00:00:00.000000Z` as Timestamp) / DAY_MS; // the text has the form of a timestamp
  const week = 1 + Math.floor((thursday - newYear) / 7);
  return `${year}-W${String(week).padStart(2, "0")}`;
}
