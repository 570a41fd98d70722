import { z } from "zod";
import { fromMillis, parseTimestamp, type Timestamp } from "#platform/time.ts";

const LOCAL = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d:\d\d)(?:\.\d+)?)?$/;

/** The format of a local time in Paris. */
const PARIS = new Intl.DateTimeFormat("en", {
  timeZone: "Europe/Paris",
  hourCycle: "h23",
  year: "numeric",
  month: "numeric",
  day: "numeric",
  hour: "numeric",
  minute: "numeric",
  second: "numeric",
});

/**
 * A time of the provider: `2026-03-01 09:30:00` and `2026-03-01`, its midnight, are local times in Paris, whose fractions of seconds are
 * left out; `2026-03-01T09:30:00Z` has a zone. Undefined for an invalid text. When the clocks change, a local time that occurs twice is the
 * later one, and a time that they skip is read as if they had not changed: 02:30 as 03:30.
 */
export function parseParisTime(text: string): Timestamp | undefined {
  const match = LOCAL.exec(text);
  if (match === null) return parseTimestamp(text.replace(" ", "T"));
  const [, day = "", time = "00:00:00"] = match;
  const local = parseTimestamp(`${day}T${time}Z`);
  if (local === undefined) return undefined;
  const localMs = Date.parse(local);
  // The first offset is that of the local time read as UTC, the second one that of the resulting time. They differ only near a change of the clocks.
  return fromMillis(localMs - offsetMs(localMs - offsetMs(localMs)));
}

function offsetMs(atMs: number): number {
  const seconds = Math.floor(atMs / 1000) * 1000;
  const shown = new Map(
    PARIS.formatToParts(seconds).map(({ type, value }) => [type, Number(value)]),
  );
  const of = (type: Intl.DateTimeFormatPartTypes): number => shown.get(type) ?? 0;
  const day = Date.UTC(of("year"), of("month") - 1, of("day"));
  return day + (of("hour") * 3600 + of("minute") * 60 + of("second")) * 1000 - seconds;
}

/** The schema of a time that `parseParisTime` reads. */
export const ParisTime = z.string().transform((text, context): Timestamp => {
  const time = parseParisTime(text);
  if (time !== undefined) return time;
  context.addIssue({ code: "custom", message: "expected a time" });
  return z.NEVER;
});
