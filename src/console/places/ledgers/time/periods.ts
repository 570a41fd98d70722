const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The periods of a chart: their lengths, and intervals of which they have some hundred, or some dozen for bars. */
export const PERIODS = {
  day: { ms: DAY_MS, interval: "15m", bars: "hour" },
  week: { ms: 7 * DAY_MS, interval: "hour", bars: "6h" },
  month: { ms: 30 * DAY_MS, interval: "6h", bars: "day" },
  year: { ms: 365 * DAY_MS, interval: "day", bars: "week" },
} as const;

export type Period = keyof typeof PERIODS;
export const PERIOD_IDS: readonly Period[] = ["day", "week", "month", "year"];

/** A period that ends at a moment, by default now. */
export function periodUntil(period: Period, at: string | undefined) {
  const endMs = at === undefined ? Date.now() : Date.parse(at);
  return {
    period,
    startTime: new Date(endMs - PERIODS[period].ms).toISOString(),
    endTime: at,
  };
}

/** The shortest period that has all since a moment, and at most a month. */
export function periodSince(first: string | undefined): Period {
  const ageMs = first === undefined ? 0 : Date.now() - Date.parse(first);
  return PERIOD_IDS.find((id) => PERIODS[id].ms >= ageMs && id !== "year") ?? "month";
}
