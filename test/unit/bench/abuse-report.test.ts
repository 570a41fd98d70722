import { expect, test } from "vitest";
import { type Figure, holds, reportLines } from "#bench/abuse/report.ts";
import { countOf } from "#bench/abuse/streams.ts";

const figure = (fields: Partial<Figure>): Figure => ({
  scenario: "logins",
  name: "p99 of a read",
  value: 100,
  unit: "ms",
  ...fields,
});

test("a figure holds up to its limit, and one that could not be taken misses it", () => {
  expect(holds(figure({ most: 100 }))).toBe(true);
  expect(holds(figure({ most: 99 }))).toBe(false);
  expect(holds(figure({ value: 0.8, least: 0.8 }))).toBe(true);
  expect(holds(figure({ value: 0.79, least: 0.8 }))).toBe(false);
  expect(holds(figure({ value: Number.NaN, most: 100 }))).toBe(false);
  expect(holds(figure({ value: Infinity, most: 100 }))).toBe(false);
});

test("a report says of each limit whether it holds, and counts refusals by stream", () => {
  const outcomes = { "429": 890, "401": 10, "200 open": 3 };
  const text = reportLines({
    figures: [figure({ value: 3056, most: 100 }), figure({ name: "memory", unit: "MB" })],
    streams: [{ name: "wrong logins", outcomes, timesMs: [], seconds: 1 }],
  });
  expect(text).toMatch(/p99 of a read +3056 ms +at most 100 ms +MISSED/);
  expect(text).toMatch(/memory +100 MB\s*$/m);
  expect(text).toMatch(/wrong logins +200 open: 3, 401: 10, 429: 890/);
  expect(countOf({ outcomes }, /^4/)).toBe(900);
});
