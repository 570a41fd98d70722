/** Times until which an alert is often silenced. */
export type SnoozeChoice = "hour" | "tomorrow" | "monday";

const HOUR_MS = 3_600_000;
/** The hour at which people begin to work. */
const MORNING = 9;
const MONDAY = 1;
const DAYS_OF_WEEK = 7;

/** The time of a choice after a moment, in the viewer's zone, as RFC 3339. */
export function snoozeUntil(choice: SnoozeChoice, nowMs: number): string {
  if (choice === "hour") return new Date(nowMs + HOUR_MS).toISOString();
  const date = new Date(nowMs);
  const days =
    choice === "tomorrow"
      ? 1
      : (MONDAY - date.getDay() + DAYS_OF_WEEK) % DAYS_OF_WEEK || DAYS_OF_WEEK;
  date.setDate(date.getDate() + days);
  date.setHours(MORNING, 0, 0, 0);
  return date.toISOString();
}
