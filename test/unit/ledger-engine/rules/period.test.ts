import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  boundariesOf,
  INTERVALS_MAX,
  INTERVALS_STANDARD,
  type Interval,
  parseInterval,
  type Period,
} from "#ledger-engine/rules/period.ts";
import {
  formatTimestamp,
  fromMicros,
  MICROS_MAX,
  MICROS_MIN,
  type Timestamp,
  toMicros,
} from "#platform/time.ts";
import { at } from "#test/support/ledger-engine/fixtures.ts";
import { runsOf } from "#test/support/runner/runs.ts";

const DAY = 86_400_000_000n;
/** The boundaries of a period as short texts. */
const between = (start: string | undefined, end: string, interval: Interval): string[] =>
  boundariesOf({
    ...(start === undefined ? {} : { startTime: at(start) }),
    endTime: at(end),
    interval,
  }).map(formatTimestamp);

describe("an interval", () => {
  test.each<[string, Interval]>([
    ["hour", "hour"],
    ["day", "day"],
    ["week", "week"],
    ["month", "month"],
    ["15m", 900_000_000n],
    ["1h30m", 5_400_000_000n],
    ["24h", DAY],
    ["1us", 1n],
    ["0.5s", 500_000n],
    ["0.1s", 100_000n],
    ["1500ns", 2n],
    ["87600h", 87_600n * 3_600_000_000n],
  ])("an interval is written as %s", (text, interval) => {
    expect(parseInterval(text)).toBe(interval);
  });

  test.each(["", "0", "0s", "100ns", "year", "Day", "days", "1d", "-1h", "1", "h", "toString"])(
    "an interval is not written as %j",
    (text) => {
      expect(parseInterval(text)).toBeUndefined();
    },
  );

  test("an interval of an infinite length is refused", () => {
    expect(parseInterval(`${"9".repeat(400)}h`)).toBeUndefined();
    expect(parseInterval(`${"9".repeat(30)}h`)).toBeGreaterThan(MICROS_MAX);
  });
});

describe("the boundaries of a period", () => {
  test("the boundaries of a period are one interval apart from each other, except that the last may be nearer", () => {
    expect(between("2026-03-01T10:07:00Z", "2026-03-01T11:00:00Z", 1_800_000_000n)).toEqual([
      "2026-03-01T10:07:00Z",
      "2026-03-01T10:37:00Z",
      "2026-03-01T11:00:00Z",
    ]);
    expect(between("2026-03-01T10:00:00Z", "2026-03-01T11:00:00Z", 3_600_000_000n)).toHaveLength(2);
    expect(between("2026-03-01T10:00:00Z", "2026-03-01T11:00:00Z", 10n ** 30n)).toHaveLength(2);
  });

  test.each<[Interval, string, string, string[]]>([
    [
      "hour",
      "2026-03-01T22:10:00.5Z",
      "2026-03-02T00:20:00Z",
      ["2026-03-01T23:00:00Z", "2026-03-02T00:00:00Z"],
    ],
    [
      "day",
      "2024-02-28T12:00:00Z",
      "2024-03-01T12:00:00Z",
      ["2024-02-29T00:00:00Z", "2024-03-01T00:00:00Z"],
    ],
    [
      "week",
      "2026-02-27T00:00:00Z",
      "2026-03-10T00:00:00Z",
      ["2026-03-02T00:00:00Z", "2026-03-09T00:00:00Z"],
    ],
    [
      "month",
      "2025-11-30T23:59:59Z",
      "2026-02-28T00:00:00Z",
      ["2025-12-01T00:00:00Z", "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"],
    ],
    [
      "month",
      "1969-11-15T00:00:00Z",
      "1970-01-02T00:00:00Z",
      ["1969-12-01T00:00:00Z", "1970-01-01T00:00:00Z"],
    ],
    [
      "week",
      "1969-12-25T00:00:00Z",
      "1970-01-06T00:00:00Z",
      ["1969-12-29T00:00:00Z", "1970-01-05T00:00:00Z"],
    ],
    ["day", "1969-12-31T01:00:00Z", "1970-01-01T01:00:00Z", ["1970-01-01T00:00:00Z"]],
  ])("a period's boundaries are those of the calendar for a %s", (unit, ...[start, end, inner]) => {
    expect(between(start, end, unit)).toEqual([start, ...inner, end]);
  });

  test("the boundaries of a period between two boundaries of the calendar make no partial intervals", () => {
    expect(between("2026-03-02T00:00:00Z", "2026-03-09T00:00:00Z", "week")).toHaveLength(2);
    expect(between("2026-03-01T00:00:00Z", "2026-04-01T00:00:00Z", "month")).toHaveLength(2);
    expect(between("2026-03-01T00:00:00Z", "2026-03-02T00:00:00Z", "hour")).toHaveLength(25);
  });

  test.each<[Interval, string, string]>([
    ["day", "2026-03-31T15:30:00Z", "2026-03-02T00:00:00Z"],
    ["day", "2026-03-31T00:00:00Z", "2026-03-01T00:00:00Z"],
    ["hour", "2026-03-02T10:00:00.000001Z", "2026-03-01T05:00:00Z"],
    ["week", "2026-03-04T00:00:00Z", "2025-08-11T00:00:00Z"],
    ["month", "2026-03-15T00:00:00Z", "2023-10-01T00:00:00Z"],
    ["month", "2026-03-01T00:00:00Z", "2023-09-01T00:00:00Z"],
    [DAY, "2026-03-31T15:30:00Z", "2026-03-01T15:30:00Z"],
  ])(
    "the boundaries of a period without a start are those of thirty intervals: %s up to %s",
    (interval, end, start) => {
      const found = between(undefined, end, interval);
      expect(found).toHaveLength(INTERVALS_STANDARD + 1);
      expect([found[0], found.at(-1)]).toEqual([start, end]);
    },
  );

  test("the boundaries of a period stay within the years that there are", () => {
    const first = formatTimestamp(fromMicros(MICROS_MIN));
    for (const interval of ["hour", "week", "month", 10n ** 12n] as const) {
      const early = between(undefined, "0001-01-01T00:30:00Z", interval);
      expect([early[0], early.at(-1)]).toEqual([first, "0001-01-01T00:30:00Z"]);
      const late = between("9999-12-31T23:30:00Z", "9999-12-31T23:59:59.999999Z", interval);
      expect(late[0]).toBe("9999-12-31T23:30:00Z");
      expect(late.at(-1)).toBe("9999-12-31T23:59:59.999999Z");
    }
  });

  test("the boundaries of a period that ends before it starts are refused", () => {
    for (const end of ["2026-03-01T00:00:00Z", "2026-02-28T00:00:00Z"]) {
      expect(() => between("2026-03-01T00:00:00Z", end, "day")).toThrow("ends before it starts");
    }
  });

  test("the boundaries of a period are limited in number", () => {
    const end = fromMicros(toMicros(at("10:00")) + BigInt(INTERVALS_MAX));
    const period: Period = { startTime: at("10:00"), endTime: end, interval: 1n };
    expect(boundariesOf(period)).toHaveLength(INTERVALS_MAX + 1);
    const longer = { ...period, endTime: fromMicros(toMicros(end) + 1n) };
    expect(() => boundariesOf(longer)).toThrow(`more than ${INTERVALS_MAX} intervals`);
    const all = { startTime: fromMicros(MICROS_MIN), endTime: fromMicros(MICROS_MAX) };
    for (const interval of ["hour", "month", 1n] as const) {
      expect(() => boundariesOf({ ...all, interval })).toThrow("intervals");
    }
  });

  test("the boundaries of a period increase from the start to the end, and those in between are the interval's", () => {
    const moment = fc
      .bigInt({
        min: toMicros(at("1960-01-01T00:00:00Z")),
        max: toMicros(at("2060-01-01T00:00:00Z")),
      })
      .map(fromMicros);
    const interval = fc.constantFrom<Interval>(
      "hour",
      "day",
      "week",
      "month",
      DAY * 400n,
      DAY / 7n,
    );
    fc.assert(
      fc.property(moment, fc.bigInt(1n, 900n), interval, (startTime, count, unit) => {
        const length = typeof unit === "bigint" ? unit : LENGTHS[unit];
        const endTime = fromMicros(toMicros(startTime) + length * count);
        const found = boundariesOf({ startTime, endTime, interval: unit });
        expect([found[0], found.at(-1)]).toEqual([startTime, endTime]);
        expect(found.length).toBeLessThanOrEqual(Number(count) + 2);
        for (const [index, boundary] of found.entries()) {
          const before = found[index - 1];
          if (before === undefined) continue;
          expect(boundary > before).toBe(true);
          if (index < found.length - 1) expect(isBegin(boundary, unit, startTime)).toBe(true);
        }
      }),
      { numRuns: runsOf(300) },
    );
  });
});

const LENGTHS = { hour: DAY / 24n, day: DAY, week: 7n * DAY, month: 28n * DAY } as const;

function isBegin(boundary: Timestamp, interval: Interval, start: Timestamp): boolean {
  if (typeof interval === "bigint") return (toMicros(boundary) - toMicros(start)) % interval === 0n;
  const date = new Date(formatTimestamp(boundary));
  if (!boundary.endsWith(":00:00.000000Z")) return false;
  if (interval === "hour") return true;
  if (date.getUTCHours() !== 0) return false;
  if (interval === "week") return date.getUTCDay() === 1;
  return interval === "day" || date.getUTCDate() === 1;
}
