import {
  type Civil,
  type DateValue,
  momentOf,
  NANOS_PER_SECOND,
  offsetText,
  padded,
  TimeZone,
  UTC,
} from "./moments.ts";
import { ExprError } from "#expr/diagnostics.ts";

/** The parts of a layout, which is an example date: Monday, January 2nd 2006, 15:04:05 in a zone seven hours behind. */
const PART =
  /January|Jan|Monday|Mon|MST|2006|_2|002|02|01|03|04|05|06|15|PM|pm|[Z-]07:00|[Z-]0700|[Z-]07|[.,](?:0+|9+)(?!\d)|1|2|3|4|5/g;
export const MONTHS = [
  ..."January February March April May June".split(" "),
  ..."July August September October November December".split(" "),
];
export const WEEKDAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");
/** Longest layout, and longest text of a date, in characters. */
const LAYOUT_LENGTH_MAX = 200;

/** Formats a date by a layout. */
export function formatMoment(moment: DateValue, layout: string): string {
  assertShort(layout);
  const civil = moment.civil;
  return layout.replaceAll(PART, (part) => formatPart(part, civil, moment.zone));
}

function formatPart(part: string, civil: Civil, zone: TimeZone): string {
  const { month, hour } = civil;
  switch (part) {
    case "January":
      return MONTHS[month - 1] ?? "";
    case "Jan":
      return (MONTHS[month - 1] ?? "").slice(0, 3);
    case "Monday":
      return WEEKDAYS[civil.weekday] ?? "";
    case "Mon":
      return (WEEKDAYS[civil.weekday] ?? "").slice(0, 3);
    case "MST":
      return zone.abbreviationAt(civil.offset);
    case "PM":
      return hour >= 12 ? "PM" : "AM";
    case "pm":
      return hour >= 12 ? "pm" : "am";
    default:
      return part.startsWith(".") || part.startsWith(",")
        ? formatFraction(part, civil.nano)
        : (formatNumber(part, civil) ?? formatOffset(part, civil.offset));
  }
}

function formatNumber(part: string, civil: Civil): string | undefined {
  const { year, month, day, hour, minute, second, yearDay } = civil;
  const hour12 = hour % 12 === 0 ? 12 : hour % 12;
  const numbers: Readonly<Record<string, string>> = {
    2006: padded(year, 4),
    "06": padded(year % 100),
    1: String(month),
    "01": padded(month),
    2: String(day),
    _2: String(day).padStart(2, " "),
    "02": padded(day),
    "002": padded(yearDay, 3),
    15: padded(hour),
    3: String(hour12),
    "03": padded(hour12),
    4: String(minute),
    "04": padded(minute),
    5: String(second),
    "05": padded(second),
  };
  return numbers[part];
}

function formatOffset(part: string, offset: number): string {
  if (part.startsWith("Z") && offset === 0) return "Z";
  const text = offsetText(offset, part.includes(":") ? ":" : "");
  return part.length === 3 ? text.slice(0, 3) : text;
}

/** Formats a fraction: zeros in the layout keep trailing zeros, nines drop them. */
function formatFraction(part: string, nano: number): string {
  const digits = padded(nano, 9)
    .slice(0, part.length - 1)
    .padEnd(part.length - 1, "0");
  if (part[1] === "0") return `${part[0]}${digits}`;
  const shortened = digits.replace(/0+$/, "");
  return shortened === "" ? "" : `${part[0]}${shortened}`;
}

/** The layouts of dates without a given layout. */
const USUAL_LAYOUTS = [
  "2006-01-02",
  "15:04:05",
  "2006-01-02 15:04:05",
  "2006-01-02T15:04:05Z07:00",
  "02 Jan 06 15:04 MST",
  "Monday, 02-Jan-06 15:04:05 MST",
  "Mon, 02 Jan 2006 15:04:05 MST",
];

/** Parses a date in one of the usual layouts. */
export function parseUsualMoment(text: string, zone: TimeZone): DateValue {
  assertShort(text);
  for (const layout of USUAL_LAYOUTS) {
    const moment = tryParse(text, layout, zone);
    if (moment !== undefined) return moment;
  }
  throw new ExprError("invalid-argument", `invalid date ${text}`);
}

/** Parses a date by a layout. */
export function parseMoment(text: string, layout: string, zone: TimeZone): DateValue {
  assertShort(text);
  assertShort(layout);
  const moment = tryParse(text, layout, zone);
  if (moment !== undefined) return moment;
  throw new ExprError("invalid-argument", `parsing time "${text}" as "${layout}": cannot parse`);
}

function assertShort(text: string): void {
  if (text.length <= LAYOUT_LENGTH_MAX) return;
  const message = `a date and its layout have at most ${LAYOUT_LENGTH_MAX} characters`;
  throw new ExprError("limit-exceeded", message);
}

/** Patterns of the parts of a layout. */
const PATTERNS: Readonly<Record<string, string>> = {
  January: `(?<month>${MONTHS.join("|")})`,
  Jan: `(?<month>${MONTHS.map((name) => name.slice(0, 3)).join("|")})`,
  Monday: `(?:${WEEKDAYS.join("|")})`,
  Mon: `(?:${WEEKDAYS.map((name) => name.slice(0, 3)).join("|")})`,
  MST: "(?<zone>[A-Z]{3,4}|[+-]\\d\\d)",
  2006: "(?<year>\\d{4})",
  "06": "(?<shortYear>\\d\\d)",
  1: "(?<month>\\d\\d?)",
  "01": "(?<month>\\d\\d)",
  2: "(?<day>\\d\\d?)",
  _2: " ?(?<day>\\d\\d?)",
  "02": "(?<day>\\d\\d)",
  "002": "(?<yearDay>\\d{3})",
  15: "(?<hour>\\d\\d?)",
  3: "(?<hour12>\\d\\d?)",
  "03": "(?<hour12>\\d\\d)",
  4: "(?<minute>\\d\\d?)",
  "04": "(?<minute>\\d\\d)",
  5: "(?<second>\\d\\d?)",
  "05": "(?<second>\\d\\d)",
  PM: "(?<half>AM|PM)",
  pm: "(?<half>am|pm)",
};
const ORDINARY_SECONDS = new Set(["5", "05"]);

function tryParse(text: string, layout: string, zone: TimeZone): DateValue | undefined {
  const groups = patternOf(layout)?.exec(text)?.groups;
  return groups === undefined ? undefined : momentOfGroups(groups, zone);
}

/**
 * A layout as a regular expression of pieces with fixed or small lengths; undefined for a layout with a repeated part, which no sensible
 * layout has.
 */
function patternOf(layout: string): RegExp | undefined {
  let pattern = "";
  let from = 0;
  const parts = [...layout.matchAll(PART)];
  for (const [place, match] of parts.entries()) {
    pattern += quote(layout.slice(from, match.index));
    const [part] = match;
    from = match.index + part.length;
    const next = parts[place + 1];
    const hasFraction = next?.index === from && /^[.,]/.test(next[0]);
    pattern += patternOfPart(part);
    // Seconds may have a fraction that is not in the layout.
    if (ORDINARY_SECONDS.has(part) && !hasFraction) pattern += "(?:[.,](?<fraction>\\d{1,18}))?";
  }
  try {
    return new RegExp(`^${pattern}${quote(layout.slice(from))}$`);
  } catch {
    return undefined;
  }
}

const quote = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);

function patternOfPart(part: string): string {
  const known = Object.hasOwn(PATTERNS, part) ? PATTERNS[part] : undefined;
  if (known !== undefined) return known;
  if (/^[.,]9/.test(part)) return "(?:[.,](?<fraction>\\d{1,9}))?";
  if (/^[.,]0/.test(part)) return `[.,](?<fraction>\\d{${part.length - 1}})`;
  const separator = part.includes(":") ? ":" : "";
  const minutes = part.length === 3 ? "" : `${separator}\\d\\d`;
  return `(?<offset>${part.startsWith("Z") ? "Z|" : ""}[+-]\\d\\d${minutes})`;
}

function momentOfGroups(
  groups: Readonly<Record<string, string | undefined>>,
  zone: TimeZone,
): DateValue | undefined {
  const parts = civilOf(groups);
  const bounds = [
    [parts.month, 1, 12],
    [parts.day, 1, new Date(Date.UTC(2000 + (parts.year % 400), parts.month, 0)).getUTCDate()],
    [parts.hour, 0, 23],
    [parts.minute, 0, 59],
    [parts.second, 0, 59],
  ] as const;
  if (bounds.some(([value, least, most]) => value < least || value > most)) return undefined;
  const offset = offsetOf(groups);
  const placed = offset === undefined ? momentOf(parts, zone) : momentOf(parts, offset);
  const { yearDay } = groups;
  if (yearDay === undefined) return placed;
  return placed.plus(BigInt(Number(yearDay) - 1) * 86_400n * NANOS_PER_SECOND);
}

function civilOf(groups: Readonly<Record<string, string | undefined>>) {
  const { year, shortYear, month = "1", day = "1", half } = groups;
  const { hour, hour12, minute = "0", second = "0", fraction = "" } = groups;
  const short = Number(shortYear ?? 0);
  // A date without a year is in the year 1, because earlier years are refused.
  const full = shortYear === undefined ? 1 : short + (short >= 69 ? 1900 : 2000);
  const byName = MONTHS.findIndex((name) => name.startsWith(month)) + 1;
  const afternoon = half?.toUpperCase() === "PM" ? 12 : 0;
  return {
    year: year === undefined ? full : Number(year),
    month: /^\d/.test(month) ? Number(month) : byName,
    day: Number(day),
    hour: hour === undefined ? (Number(hour12 ?? 0) % 12) + afternoon : Number(hour),
    minute: Number(minute),
    second: Number(second),
    nano: Number(fraction.slice(0, 9).padEnd(9, "0")),
  };
}

/** The zone that a text names; undefined if it names none. Unknown abbreviations count as UTC. */
function offsetOf({
  offset,
  zone,
}: Readonly<Record<string, string | undefined>>): TimeZone | undefined {
  const text = offset ?? (zone === "UTC" || zone === "GMT" ? "Z" : zone);
  if (text === undefined) return undefined;
  if (text === "Z") return UTC;
  const match = /^([+-])(\d\d):?(\d\d)?$/.exec(text);
  if (match === null) return UTC;
  const [, sign, hours = "0", minutes = "0"] = match;
  const seconds = (Number(hours) * 60 + Number(minutes)) * 60;
  return seconds === 0 ? UTC : new TimeZone(text, sign === "-" ? -seconds : seconds);
}
