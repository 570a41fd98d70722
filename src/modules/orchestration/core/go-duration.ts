import { formatDurationMs, parseDurationMs } from "#platform/duration.ts";

/** A duration in Go's notation with an optional sign, in milliseconds; undefined for any other text. */
export function parseSignedDurationMs(text: string): number | undefined {
  const sign = text.startsWith("-") ? -1 : 1;
  const milliseconds = parseDurationMs(text.replace(/^[+-]/, ""));
  if (milliseconds === undefined || milliseconds > DURATION_MS_MAX) return undefined;
  return milliseconds === 0 ? 0 : sign * milliseconds;
}

/** Writes a duration in Go's notation, in its normal form, such as `1m30s`. */
export const formatSignedDurationMs = (milliseconds: number): string =>
  milliseconds < 0 ? `-${formatDurationMs(-milliseconds)}` : formatDurationMs(milliseconds);

/** Longest duration, in milliseconds: 64 bits of nanoseconds hold some 292 years. */
const DURATION_MS_MAX = 9_223_372_036_854;
