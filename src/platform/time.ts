import type { Brand } from "./brand.ts";

/** RFC 3339 in UTC with exactly six decimals, `2026-03-01T09:30:00.250000Z`: sorts as text. Years 0001 to 9999. */
export type Timestamp = Brand<string, "Timestamp">;

/** Where "now" comes from. */
export type Clock = () => Timestamp;

export const systemClock: Clock = () => fromMillis(Date.now());

/** The zero time of the wire, for fields that a client requires and that have no value. */
export const ZERO_TIMESTAMP = "0001-01-01T00:00:00.000000Z" as Timestamp; // a constant of the right form

const RFC_3339 =
  /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:Z|([+-])(\d\d):(\d\d))$/;
const MICROS_PER_SECOND = 1_000_000n;
export const MICROS_MIN = -62_135_596_800_000_000n;
export const MICROS_MAX = 253_402_300_799_999_999n;

/** Parses RFC 3339 with a mandatory zone; the fraction is rounded half up to microseconds. */
export function parseTimestamp(text: string): Timestamp | undefined {
  const match = RFC_3339.exec(text);
  if (match === null) return undefined;
  const [, year = "", month = "", day = "", hour = "", minute = "", second = ""] = match;
  const [fraction = "", sign, zoneHour = "0", zoneMinute = "0"] = match.slice(7);
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  if (Number(zoneHour) > 23 || Number(zoneMinute) > 59) return undefined;
  const millis = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  // Date.parse takes February 30th for March 2nd.
  if (Number.isNaN(millis) || new Date(millis).getUTCDate() !== Number(day)) return undefined;
  const offsetMinutes = (Number(zoneHour) * 60 + Number(zoneMinute)) * (sign === "-" ? -1 : 1);
  const seconds = BigInt(millis / 1000 - offsetMinutes * 60);
  const micros = seconds * MICROS_PER_SECOND + roundedMicros(fraction);
  return micros < MICROS_MIN || micros > MICROS_MAX ? undefined : fromMicros(micros);
}

/** The wire form: trailing zeros of the fraction removed, and the dot with them. */
export function formatTimestamp(timestamp: Timestamp): string {
  let end = 26;
  while (timestamp.charCodeAt(end - 1) === 48 && end > 20) end--;
  return `${timestamp.slice(0, end === 20 ? 19 : end)}Z`;
}

/** The wire form of an optional timestamp, as an object to spread. */
export const optionalTimestamp = <K extends string>(
  key: K,
  timestamp: Timestamp | undefined,
): Partial<Record<K, string>> =>
  (timestamp === undefined ? {} : { [key]: formatTimestamp(timestamp) }) as Partial<
    Record<K, string>
  >; // a computed key widens to string

/** Microseconds since the Unix epoch; beyond 2^53 for years after 2255. */
export function toMicros(timestamp: Timestamp): bigint {
  const millis = Date.parse(`${timestamp.slice(0, 23)}Z`);
  return BigInt(millis) * 1000n + BigInt(timestamp.slice(23, 26));
}

export function fromMicros(micros: bigint): Timestamp {
  const rest = ((micros % 1000n) + 1000n) % 1000n;
  const millis = Number((micros - rest) / 1000n);
  const text = new Date(millis).toISOString();
  return `${text.slice(0, 23)}${rest.toString().padStart(3, "0")}Z` as Timestamp; // fixed width by construction
}

export function fromMillis(millis: number): Timestamp {
  return `${new Date(millis).toISOString().slice(0, 23)}000Z` as Timestamp; // fixed width by construction
}

export function toMillis(timestamp: Timestamp): number {
  return Date.parse(`${timestamp.slice(0, 23)}Z`);
}

function roundedMicros(fraction: string): bigint {
  const micros = BigInt(fraction.slice(0, 6).padEnd(6, "0"));
  return fraction.charCodeAt(6) >= 53 ? micros + 1n : micros;
}
