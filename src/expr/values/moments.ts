import { ExprError } from "#expr/diagnostics.ts";

export const NANOS_PER_SECOND = 1_000_000_000n;
const NANOS_PER_MS = 1_000_000n;
const SECONDS_PER_DAY = 86_400;
/** The first nanosecond of the year 1, and the last of the year 9999. */
const NANOS_MIN = -62_135_596_800n * NANOS_PER_SECOND;
const NANOS_MAX = 253_402_300_800n * NANOS_PER_SECOND - 1n;
/** Longest duration, in nanoseconds: the largest signed integer of 64 bits, about 292 years. */
const SPAN_MAX = (1n << 63n) - 1n;

/** A point in time, in nanoseconds since the Unix epoch, and the zone in which it is shown. */
export class DateValue {
  readonly nanos: bigint;
  readonly zone: TimeZone;

  constructor(nanos: bigint, zone: TimeZone) {
    if (nanos < NANOS_MIN || nanos > NANOS_MAX) {
      throw new ExprError("invalid-number", "a date is between the years 1 and 9999");
    }
    this.nanos = nanos;
    this.zone = zone;
  }

  get offsetSeconds(): number {
    return this.zone.offsetAt(Number(floorDivide(this.nanos, NANOS_PER_MS)));
  }

  /** The parts of the date and time in the zone. */
  get civil(): Civil {
    const offset = this.offsetSeconds;
    const seconds = Number(floorDivide(this.nanos, NANOS_PER_SECOND)) + offset;
    const date = new Date(seconds * 1000);
    const startOfYear = new Date(0).setUTCFullYear(date.getUTCFullYear(), 0, 1);
    return {
      year: date.getUTCFullYear(),
      month: date.getUTCMonth() + 1,
      day: date.getUTCDate(),
      hour: date.getUTCHours(),
      minute: date.getUTCMinutes(),
      second: date.getUTCSeconds(),
      nano: Number(this.nanos - floorDivide(this.nanos, NANOS_PER_SECOND) * NANOS_PER_SECOND),
      weekday: date.getUTCDay(),
      yearDay: Math.floor((date.getTime() - startOfYear) / (SECONDS_PER_DAY * 1000)) + 1,
      offset,
    };
  }

  plus(nanos: bigint): DateValue {
    return new DateValue(this.nanos + nanos, this.zone);
  }

  toRfc3339(): string {
    const { year, month, day, hour, minute, second, nano, offset } = this.civil;
    const fraction = nano === 0 ? "" : `.${String(nano).padStart(9, "0").replace(/0+$/, "")}`;
    const date = `${padded(year, 4)}-${padded(month)}-${padded(day)}`;
    const time = `${padded(hour)}:${padded(minute)}:${padded(second)}${fraction}`;
    return `${date}T${time}${offset === 0 ? "Z" : offsetText(offset, ":")}`;
  }

  toString(): string {
    const { offset } = this.civil;
    const [date = "", rest = ""] = this.toRfc3339().split("T");
    const time = rest.slice(0, 8);
    const fraction = /^\.\d+/.exec(rest.slice(8))?.[0] ?? "";
    return `${date} ${time}${fraction} ${offsetText(offset, "")} ${this.zone.abbreviationAt(offset)}`;
  }
}

export interface Civil {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly nano: number;
  /** The day of the week, from 0 for Sunday. */
  readonly weekday: number;
  readonly yearDay: number;
  /** The offset of the zone from UTC, in seconds. */
  readonly offset: number;
}

/** The date of local time in a zone. Parts beyond their bounds carry over, as the 32nd of a month does. */
export function momentOf(
  parts: Omit<Civil, "weekday" | "yearDay" | "offset">,
  zone: TimeZone,
): DateValue {
  const { year, month, day, hour, minute, second, nano } = parts;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  const localMs = date.getTime();
  if (!Number.isFinite(localMs)) {
    throw new ExprError("invalid-number", "a date is between the years 1 and 9999");
  }
  // The offset depends on the UTC time, which depends on the offset: a second look-up corrects the first.
  const first = zone.offsetAt(localMs - zone.offsetAt(localMs) * 1000);
  const seconds = BigInt(localMs / 1000 - first);
  return new DateValue(seconds * NANOS_PER_SECOND + BigInt(nano), zone);
}

/** A month or a weekday: an integer, except for its method `String`, which gives its English name. */
export class NamedNumber {
  readonly number: bigint;
  readonly name: string;

  constructor(number: number, name: string) {
    this.number = BigInt(number);
    this.name = name;
  }
}

/** A length of time, in nanoseconds. */
export class TimeSpan {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    if (nanos > SPAN_MAX || nanos < -SPAN_MAX) {
      throw new ExprError("invalid-number", "a duration is at most 292 years long");
    }
    this.nanos = nanos;
  }

  /** The duration in Go's notation: `1h30m0s`, `1.5s`, `300ms`. */
  toString(): string {
    if (this.nanos === 0n) return "0s";
    const sign = this.nanos < 0n ? "-" : "";
    const nanos = this.nanos < 0n ? -this.nanos : this.nanos;
    if (nanos < NANOS_PER_SECOND) {
      if (nanos < 1000n) return `${sign}${nanos}ns`;
      const [unit, name] =
        nanos < NANOS_PER_MS ? ([1000n, "µs"] as const) : ([NANOS_PER_MS, "ms"] as const);
      return `${sign}${decimal(nanos, unit)}${name}`;
    }
    const minutes = nanos / (60n * NANOS_PER_SECOND);
    const seconds = `${decimal(nanos % (60n * NANOS_PER_SECOND), NANOS_PER_SECOND)}s`;
    if (minutes === 0n) return sign + seconds;
    if (minutes < 60n) return `${sign}${minutes}m${seconds}`;
    return `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`;
  }
}

function decimal(nanos: bigint, unit: bigint): string {
  const digits = String(unit).length - 1;
  const fraction = String(nanos % unit)
    .padStart(digits, "0")
    .replace(/0+$/, "");
  return `${nanos / unit}${fraction === "" ? "" : `.${fraction}`}`;
}

const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ms: NANOS_PER_MS,
  s: NANOS_PER_SECOND,
  m: 60n * NANOS_PER_SECOND,
  h: 3600n * NANOS_PER_SECOND,
};
const SPAN = /^[+-]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const SPAN_PART = /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/g;
/** Longest text of a duration, in characters. */
const SPAN_LENGTH_MAX = 200;

/** Parses a duration in Go's notation: `1h30m`, `-1.5s`. */
export function parseTimeSpan(text: string): TimeSpan {
  if (text.length > SPAN_LENGTH_MAX || !SPAN.test(text)) {
    const shown = text.slice(0, SPAN_LENGTH_MAX);
    throw new ExprError("invalid-argument", `time: invalid duration "${shown}"`);
  }
  let nanos = 0n;
  for (const [, whole = "", fraction = "", name = ""] of text.matchAll(SPAN_PART)) {
    const unit = UNITS[name] ?? 0n;
    nanos += BigInt(whole === "" ? 0 : whole) * unit;
    nanos += (BigInt(fraction === "" ? 0 : fraction) * unit) / 10n ** BigInt(fraction.length);
  }
  return new TimeSpan(text.startsWith("-") ? -nanos : nanos);
}

/** A zone of the IANA database, or a fixed offset. */
export class TimeZone {
  readonly name: string;
  readonly #fixedOffset: number | undefined;
  #format: Intl.DateTimeFormat | undefined;

  constructor(name: string, fixedOffset?: number) {
    this.name = name;
    this.#fixedOffset = name === "UTC" ? 0 : fixedOffset;
  }

  /** The zone with a name. Throws `ExprError` for an unknown name. */
  static named(name: string): TimeZone {
    if (name === "" || name === "UTC" || name === "Local") return UTC;
    const zone = new TimeZone(name);
    try {
      zone.offsetAt(0);
    } catch {
      const message = `unknown time zone ${name.slice(0, SPAN_LENGTH_MAX)}`;
      throw new ExprError("invalid-argument", message);
    }
    return zone;
  }

  /** The offset of the zone from UTC at a time, in seconds. */
  offsetAt(epochMs: number): number {
    if (this.#fixedOffset !== undefined) return this.#fixedOffset;
    this.#format ??= new Intl.DateTimeFormat("en-US", {
      timeZone: this.name,
      timeZoneName: "longOffset",
    });
    const parts = this.#format.formatToParts(epochMs);
    const text = parts.find(({ type }) => type === "timeZoneName")?.value ?? "GMT";
    const match = /^GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(text);
    if (match === null) return 0;
    const [, sign, hours = "0", minutes = "0", seconds = "0"] = match;
    const offset = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
    return sign === "-" ? -offset : offset;
  }

  abbreviationAt(offset: number): string {
    return this.name === "UTC" ? "UTC" : offsetText(offset, "").replace(/00$/, "");
  }

  toString(): string {
    return this.name;
  }
}

export const UTC = new TimeZone("UTC");

export function floorDivide(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b < 0n ? quotient - 1n : quotient;
}

export const padded = (value: number, digits = 2): string => String(value).padStart(digits, "0");

/** The text of an offset: `+01:00`, `-0530`. */
export function offsetText(seconds: number, separator: string): string {
  const minutes = Math.floor(Math.abs(seconds) / 60);
  const sign = seconds < 0 ? "-" : "+";
  return `${sign}${padded(Math.floor(minutes / 60))}${separator}${padded(minutes % 60)}`;
}
