const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const UNITS = [
  ["day", DAY_MS],
  ["hour", HOUR_MS],
  ["minute", MINUTE_MS],
  ["second", SECOND_MS],
] as const;

/** Below this length, seconds have a decimal. */
const EXACT_MS = 10 * SECOND_MS;

/** A length of time in its two largest units: `2d 4h`, `3m 5s`, `1.4s`, `20ms`. */
export function formatDuration(milliseconds: number, language: string): string {
  const ms = Math.max(milliseconds, 0);
  if (ms < SECOND_MS) return unitOf("millisecond", Math.round(ms), language);
  if (ms < EXACT_MS) return unitOf("second", Math.round(ms / 100) / 10, language);
  const first = UNITS.findIndex(([, size]) => ms >= size);
  const [unit, size] = UNITS[first] ?? UNITS[3];
  const rest = UNITS[first + 1];
  const large = unitOf(unit, Math.floor(ms / size), language);
  const small = rest === undefined ? 0 : Math.floor((ms % size) / rest[1]);
  return rest === undefined || small === 0 ? large : `${large} ${unitOf(rest[0], small, language)}`;
}

const unitOf = (unit: string, count: number, language: string): string =>
  new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "narrow" }).format(count);
