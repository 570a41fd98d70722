import { expect, test } from "vitest";
import { parseDurationMs } from "#platform/duration.ts";

test.each([
  ["0", 0],
  ["300ms", 300],
  ["5s", 5000],
  ["1m", 60_000],
  ["720h", 2_592_000_000],
  ["1h30m", 5_400_000],
  ["1.5s", 1500],
  ["2m0.5s", 120_500],
  ["1500us", 1.5],
  ["1500µs", 1.5],
  ["1000000ns", 1],
])("%s is %f milliseconds", (text, milliseconds) => {
  expect(parseDurationMs(text)).toBeCloseTo(milliseconds, 9);
});

test.each(["", "5", "s", "5 s", "-5s", "+5s", "5d", "1h 30m", "5S", ".5s", "1.s", "5s,"])(
  "%j is no duration",
  (text) => {
    expect(parseDurationMs(text)).toBeUndefined();
  },
);
