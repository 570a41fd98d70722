import { describe, expect, test } from "vitest";
import { momentsOf, stepFor, stepFrom } from "#console/places/ledgers/time/moments.ts";

describe("the moments of a URL", () => {
  test("what is no moment is dropped", () => {
    const at = "2026-01-15T00:00:00.123456Z";
    expect(momentsOf({ at, compare: "2026-01-15T01:00:00+01:00", open: "users" })).toEqual({
      at,
      compare: "2026-01-15T01:00:00+01:00",
    });
    expect(momentsOf({ at: "yesterday", compare: "2026-02-30T25:00:00Z" })).toEqual({});
  });
});

describe("steps through time", () => {
  test.each([
    ["minute", 1, "2026-01-31T00:01:00.000Z"],
    ["hour", -1, "2026-01-30T23:00:00.000Z"],
    ["week", 1, "2026-02-07T00:00:00.000Z"],
    ["month", 1, "2026-02-28T00:00:00.000Z"],
    ["month", -1, "2025-12-31T00:00:00.000Z"],
  ] as const)("a %s in direction %i", (step, direction, expected) => {
    expect(stepFrom("2026-01-31T00:00:00Z", step, direction)).toBe(expected);
  });

  test("longer lives are gone through in longer steps", () => {
    const hour = 3_600_000;
    expect([hour, 48 * hour, 720 * hour, 8760 * hour].map(stepFor)).toEqual([
      "minute",
      "hour",
      "day",
      "week",
    ]);
  });
});
