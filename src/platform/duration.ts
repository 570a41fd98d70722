const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
const DURATION = /^(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h))+$/;
const PART = /(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g;

/** Parses a duration in Go's notation (`300ms`, `1h30m`) to milliseconds; no sign. */
export function parseDurationMs(text: string): number | undefined {
  if (text === "0") return 0;
  if (!DURATION.test(text)) return undefined;
  let total = 0;
  for (const [, amount = "0", unit = "ms"] of text.matchAll(PART)) {
    total += Number(amount) * (UNIT_MS[unit] ?? 0);
  }
  return total;
}

/** A duration in Go's normal form: `30m0s`, `1h0m0s`, `1.5s`, `300ms`. */
export function formatDurationMs(milliseconds: number): string {
  if (milliseconds === 0) return "0s";
  if (milliseconds < 1) return `${decimal(milliseconds * 1000)}µs`;
  if (milliseconds < 1000) return `${decimal(milliseconds)}ms`;
  const hours = Math.floor(milliseconds / 3_600_000);
  const minutes = Math.floor(milliseconds / 60_000) % 60;
  const seconds = `${decimal((milliseconds % 60_000) / 1000)}s`;
  if (hours > 0) return `${hours}h${minutes}m${seconds}`;
  return minutes > 0 ? `${minutes}m${seconds}` : seconds;
}

/** A number with at most nine decimals, because durations have nanoseconds. */
const decimal = (value: number): string => String(Number(value.toFixed(9)));
