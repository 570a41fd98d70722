/** The size of something at a time, and how it came to it. Times are in milliseconds since the epoch. */
export interface Measured {
  readonly bytes: number;
  readonly measuredMs: number;
  /** The size at the beginning of the day that is being measured. */
  readonly dayBytes: number;
  readonly dayMs: number;
  /** Bytes a day, of the last whole day; null before there was one. */
  readonly growth: number | null;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** What is not measured for so long does not grow: whatever grows is measured again. */
const IDLE_MS = 2 * DAY_MS;

/** What is known after a new measurement. A clock that has stepped back begins a new day, of which nothing is known. */
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
 * Bytes a day: the growth of the last whole day, or that of the day under way if it is larger, once an hour of it is over. Undefined
 * as long as nothing is known.
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
