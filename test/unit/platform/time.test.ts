import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { systemClock } from "#platform/clock.ts";
import {
  formatTimestamp,
  fromMicros,
  fromMillis,
  MICROS_MAX,
  MICROS_MIN,
  nextMicrosecond,
  parseTimestamp,
  toMicros,
  toMillis,
  ZERO_TIMESTAMP,
} from "#platform/time.ts";

const formatted = (text: string): string | undefined => {
  const timestamp = parseTimestamp(text);
  return timestamp === undefined ? undefined : formatTimestamp(timestamp);
};

describe("a timestamp of the wire", () => {
  test.each([
    ["2026-03-01T09:30:00Z", "2026-03-01T09:30:00Z"],
    ["2026-03-01T09:30:00.25Z", "2026-03-01T09:30:00.25Z"],
    ["2026-03-01T09:30:00.250000Z", "2026-03-01T09:30:00.25Z"],
    ["2026-03-01T09:30:00.123456Z", "2026-03-01T09:30:00.123456Z"],
    ["2026-03-01T09:30:00.000001Z", "2026-03-01T09:30:00.000001Z"],
    ["2026-03-01T10:30:00.5+01:00", "2026-03-01T09:30:00.5Z"],
    ["2026-03-01T00:00:00-05:30", "2026-03-01T05:30:00Z"],
    ["2026-03-01T09:30:00+00:00", "2026-03-01T09:30:00Z"],
    ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z"],
    ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"],
    ["9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"],
    ["1969-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.999999Z"],
  ])("the timestamp %s is read as %s", (text, expected) => {
    expect(formatted(text)).toBe(expected);
  });

  test.each([
    ["2026-03-01T09:30:00.1234564Z", "2026-03-01T09:30:00.123456Z"],
    ["2026-03-01T09:30:00.1234565Z", "2026-03-01T09:30:00.123457Z"],
    ["2026-03-01T09:30:00.1234564999Z", "2026-03-01T09:30:00.123456Z"],
    ["2026-12-31T23:59:59.9999995Z", "2027-01-01T00:00:00Z"],
    ["1969-12-31T23:59:59.9999995Z", "1970-01-01T00:00:00Z"],
    ["1969-12-31T23:59:59.9999985Z", "1969-12-31T23:59:59.999999Z"],
  ])("the timestamp %s is rounded half up to %s", (text, expected) => {
    expect(formatted(text)).toBe(expected);
  });

  test.each([
    "",
    "2026-03-01",
    "2026-03-01T09:30:00",
    "2026-03-01 09:30:00Z",
    "2026-03-01t09:30:00z",
    "2026-03-01T09:30Z",
    "2026-03-01T24:00:00Z",
    "2026-03-01T09:60:00Z",
    "2026-03-01T09:30:60Z",
    "2026-02-29T00:00:00Z",
    "2026-02-30T00:00:00Z",
    "2026-04-31T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-00-01T00:00:00Z",
    "2026-03-00T00:00:00Z",
    "2026-03-01T09:30:00.Z",
    "2026-03-01T09:30:00+1:00",
    "2026-03-01T09:30:00+24:00",
    "2026-03-01T09:30:00+0100",
    "+002026-03-01T09:30:00Z",
    "0000-12-31T23:59:59Z",
    "0001-01-01T00:00:00+00:01",
    "9999-12-31T23:59:59.9999995Z",
    "9999-12-31T23:59:59-00:01",
    " 2026-03-01T09:30:00Z",
    "2026-03-01T09:30:00Z\n",
  ])("the timestamp %j is invalid", (text) => {
    expect(parseTimestamp(text)).toBeUndefined();
  });
});

test("a text that is parsed again, right away or later, is the same timestamp", () => {
  const text = fc.constantFrom("2026-03-01T09:30:00.25Z", "2026-03-01T09:30:00Z", "2026-03-01");
  fc.assert(
    fc.property(fc.array(text), (texts) => {
      expect(texts.map(parseTimestamp)).toEqual(
        texts.map((it) =>
          it === "2026-03-01"
            ? undefined
            : fromMicros(it.includes(".") ? QUARTER : QUARTER - 250_000n),
        ),
      );
    }),
  );
});

/** The timestamp of 2026-03-01T09:30:00.25Z in microseconds. */
const QUARTER = 1_772_357_400_250_000n;

describe("a timestamp", () => {
  const micros = fc.bigInt(-62_135_596_800_000_000n, 253_402_300_799_999_999n);

  test("a timestamp stands for its microseconds, before 1970 too, and reads back from its wire form", () => {
    fc.assert(
      fc.property(micros, (value) => {
        const timestamp = fromMicros(value);
        expect(timestamp).toHaveLength(27);
        expect(toMicros(timestamp)).toBe(value);
        expect(parseTimestamp(formatTimestamp(timestamp))).toBe(timestamp);
      }),
    );
  });

  test("the timestamp of the next microsecond is one later, at every date", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: MICROS_MIN, max: MICROS_MAX - 1n }), (value) => {
        expect(nextMicrosecond(fromMicros(value))).toBe(fromMicros(value + 1n));
      }),
    );
    expect(nextMicrosecond(fromMicros(999_999))).toBe("1970-01-01T00:00:01.000000Z");
  });

  test("a timestamp is the same of a number and of a bigint, on both sides of 2^53", () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (value) => {
        expect(fromMicros(value)).toBe(fromMicros(BigInt(value)));
        expect(toMicros(fromMicros(value))).toBe(BigInt(value));
      }),
    );
    for (const edge of [2n ** 53n, -(2n ** 53n), 10n ** 15n, -(10n ** 15n), 0n]) {
      for (const value of [edge - 1n, edge, edge + 1n, edge + 500_000n, edge - 500_000n]) {
        expect(toMicros(fromMicros(value))).toBe(value);
      }
    }
    expect(fromMicros(-1)).toBe("1969-12-31T23:59:59.999999Z");
    expect(fromMicros(-1_000_000)).toBe("1969-12-31T23:59:59.000000Z");
  });

  test("a timestamp sorts as text as it does in time", () => {
    fc.assert(
      fc.property(micros, micros, (a, b) => {
        expect(fromMicros(a) < fromMicros(b)).toBe(a < b);
      }),
    );
  });

  test("a timestamp has milliseconds, rounded down", () => {
    expect(toMillis(fromMicros(1_234_999n))).toBe(1234);
    expect(fromMillis(1234)).toBe("1970-01-01T00:00:01.234000Z");
    expect(toMicros(ZERO_TIMESTAMP)).toBe(-62_135_596_800_000_000n);
  });

  test("a timestamp of the system's clock is now", () => {
    expect(Math.abs(toMillis(systemClock()) - Date.now())).toBeLessThan(5000);
  });
});

describe("a timestamp of a number", () => {
  test.each([0, 1, 253_402_300_799, 9_007_199_254, -62_135_596_799, -1])(
    "the microsecond before second %i belongs to the second before",
    (seconds) => {
      const micros = BigInt(seconds) * 1_000_000n - 1n;
      const before = new Date(seconds * 1000 - 1).toISOString().slice(0, 20);
      expect(fromMicros(micros)).toBe(`${before}999999Z`);
      const number = Number(micros);
      if (Number.isSafeInteger(number)) expect(fromMicros(number)).toBe(`${before}999999Z`);
    },
  );

  test("milliseconds are rounded down and bounded by the years 0001 to 9999", () => {
    expect(fromMillis(1.9)).toBe("1970-01-01T00:00:00.001000Z");
    expect(fromMillis(-0.5)).toBe("1969-12-31T23:59:59.999000Z");
    expect(fromMillis(253_402_300_799_999)).toBe("9999-12-31T23:59:59.999000Z");
    expect(fromMillis(-62_135_596_800_000)).toBe(ZERO_TIMESTAMP);
    for (const millis of [253_402_300_800_000, Infinity]) {
      expect(fromMillis(millis)).toBe("9999-12-31T23:59:59.999000Z");
    }
    for (const millis of [-62_135_596_800_001, -Infinity]) {
      expect(fromMillis(millis)).toBe(ZERO_TIMESTAMP);
    }
    expect(() => fromMillis(Number.NaN)).toThrow(RangeError);
  });
});
