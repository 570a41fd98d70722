import { expect, test } from "vitest";
import { formatDuration } from "#console/parts/time/duration.ts";

test.each([
  [0, "0ms"],
  [20.4, "20ms"],
  [1440, "1.4s"],
  [61_000, "1m 1s"],
  [3_600_000, "1h"],
  [187_200_000, "2d 4h"],
  [-5, "0ms"],
])("%i milliseconds are %s", (milliseconds, text) => {
  expect(formatDuration(milliseconds, "en")).toBe(text);
});
