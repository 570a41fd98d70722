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
