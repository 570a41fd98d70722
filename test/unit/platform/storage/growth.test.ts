import { expect, test } from "vitest";
import { afterMeasurement, growthPerDay, type Measured } from "#platform/storage/growth.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = Date.parse("2026-03-01T00:00:00Z");

/** The known growth after some measurements, each with its time in hours since the start. */
const after = (...measured: readonly (readonly [hours: number, bytes: number])[]): Measured => {
  let known: Measured | undefined;
  for (const [hours, bytes] of measured) {
    known = afterMeasurement(known, { bytes, measuredMs: START + hours * HOUR });
  }
  if (known === undefined) throw new Error("nothing was measured");
  return known;
};

test.each([
  {
    name: "is not known after one measurement",
    known: after([0, 100]),
    atHours: 0,
    growth: undefined,
  },
  {
    name: "is not known within the first hour",
    known: after([0, 100], [0.5, 900]),
    atHours: 0.5,
    growth: undefined,
  },
  {
    name: "is estimated from the first hours",
    known: after([0, 100], [6, 1100]),
    atHours: 6,
    growth: 4000,
  },
  {
    name: "is that of the whole day, after it",
    known: after([0, 100], [12, 300], [25, 2600]),
    atHours: 25,
    growth: 2400,
  },
  {
    name: "is that of the last day while the next one is quieter",
    known: after([0, 0], [24, 2400], [36, 2500]),
    atHours: 36,
    growth: 2400,
  },
  {
    name: "is that of the day under way if that is faster",
    known: after([0, 0], [24, 2400], [30, 5400]),
    atHours: 30,
    growth: 12_000,
  },
  {
    name: "is negative for what shrinks",
    known: after([0, 4800], [48, 0]),
    atHours: 48,
    growth: -2400,
  },
  {
    name: "is none for what was not measured for two days",
    known: after([0, 0], [24, 2400]),
    atHours: 24 + 49,
    growth: 0,
  },
  {
    name: "stays when the clock steps back",
    known: after([0, 0], [24, 2400], [10, 2500]),
    atHours: 10,
    growth: 2400,
  },
])("the growth of a day $name", ({ known, atHours, growth }) => {
  expect(growthPerDay(known, START + atHours * HOUR)).toBe(growth);
});

test("a day begins anew at the first measurement after 24 hours, with the size of then", () => {
  expect(after([0, 0], [23, 10], [25, 50])).toEqual({
    bytes: 50,
    measuredMs: START + 25 * HOUR,
    dayBytes: 50,
    dayMs: START + 25 * HOUR,
    growth: (50 * DAY) / (25 * HOUR),
  });
});
