const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The last time at which it was an hour of the day in UTC, and the next one; all in milliseconds since the epoch. */
export function slotsAt(
  nowMs: number,
  hour: number,
): { readonly last: number; readonly next: number } {
  const last = Math.floor((nowMs - hour * HOUR_MS) / DAY_MS) * DAY_MS + hour * HOUR_MS;
  return { last, next: last + DAY_MS };
}
