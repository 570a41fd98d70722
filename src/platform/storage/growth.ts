/** A measurement of a database's or an object's size, and its growth. Times are in milliseconds since the epoch. */
export interface Measured {
  readonly bytes: number;
  readonly measuredMs: number;
  /** The size at the beginning of the current day of measurement. */
  readonly dayBytes: number;
  readonly dayMs: number;
  /** The growth in the last whole day, in bytes a day; null before the first whole day. */
  readonly growth: number | null;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Time without measurement after which a size counts as constant: growing objects are measured again. */
const IDLE_MS = 2 * DAY_MS;

/** The state after a new measurement. If the clock has stepped back, a new day begins. */
export function afterMeasurement(
  before: Measured | undefined,
  { bytes, measuredMs }: Pick<Measured, "bytes" | "measuredMs">,
): Measured {
  const begun = { bytes, measuredMs, dayBytes: bytes, dayMs: measuredMs };
  if (before === undefined) return { ...begun, growth: null };
  const { dayBytes, dayMs, growth } = before;
  const elapsedMs = measuredMs - dayMs;
  if (elapsedMs < 0) return { ...begun, growth };
  if (elapsedMs < DAY_MS) return { bytes, measuredMs, dayBytes, dayMs, growth };
  return { ...begun, growth: ((bytes - dayBytes) * DAY_MS) / elapsedMs };
}

/**
 * The growth in bytes a day: that of the last whole day, or that of the current day if it is larger and the day is at least an hour old.
 * Undefined before the first hour is over.
 */
export function growthPerDay(
  { bytes, measuredMs, dayBytes, dayMs, growth }: Measured,
  nowMs: number,
): number | undefined {
  if (nowMs - measuredMs > IDLE_MS) return 0;
  const elapsedMs = measuredMs - dayMs;
  const known = [
    ...(growth === null ? [] : [growth]),
    ...(elapsedMs < HOUR_MS ? [] : [((bytes - dayBytes) * DAY_MS) / elapsedMs]),
  ];
  return known.length === 0 ? undefined : Math.round(Math.max(...known));
}
