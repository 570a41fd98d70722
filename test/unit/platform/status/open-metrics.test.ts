import { describe, expect, test } from "vitest";
import { FAMILIES, type MetricFamily } from "#platform/status/families.ts";
import { toOpenMetrics } from "#platform/status/open-metrics.ts";
import { firstProblems, type Problem, sample } from "#platform/status/section.ts";
import { isToBeRecorded, type SweepRun } from "#platform/status/sweep-runs.ts";

describe("OpenMetrics", () => {
  test("OpenMetrics text has families without a gap, units, suffixes of counters, and an end", () => {
    const text = toOpenMetrics([
      sample(FAMILIES.sweepFailed, 2, { sweep: "a" }),
      sample(FAMILIES.keyAge, 1.5, {}),
      sample(FAMILIES.sweepFailed, 3, { sweep: "b" }),
    ]);
    expect(text).toBe(`# TYPE florin_sweep_failed_runs counter
# HELP florin_sweep_failed_runs ${FAMILIES.sweepFailed.help}
florin_sweep_failed_runs_total{sweep="a"} 2
florin_sweep_failed_runs_total{sweep="b"} 3
# TYPE florin_signing_key_age_seconds gauge
# UNIT florin_signing_key_age_seconds seconds
# HELP florin_signing_key_age_seconds ${FAMILIES.keyAge.help}
florin_signing_key_age_seconds 1.5
# EOF
`);
  });

  test("OpenMetrics text escapes labels, whatever names objects have, and shows a sample once", () => {
    const named = (name: string, value: number) => sample(FAMILIES.storageSize, value, { name });
    const text = toOpenMetrics([named('a"b\\c\nd', 1), named("twice", 1), named("twice", 2)]);
    expect(text).toContain('florin_storage_size_bytes{name="a\\"b\\\\c\\nd"} 1\n');
    expect(text.match(/twice/g)).toHaveLength(1);
    expect(toOpenMetrics([named("\ud800", 1)])).toContain('name="\ufffd"');
  });

  test("OpenMetrics text has the buckets, the count and the sum of a histogram", () => {
    const family = FAMILIES.requestDuration;
    const labels = { module: "ledger" };
    expect(
      toOpenMetrics([
        { family, labels: { ...labels, le: "+Inf" }, value: 3, part: "bucket" },
        { family, labels, value: 3, part: "count" },
        { family, labels, value: 0.25, part: "sum" },
      ]),
    ).toBe(`# TYPE florin_request_duration_seconds histogram
# UNIT florin_request_duration_seconds seconds
# HELP florin_request_duration_seconds ${family.help}
florin_request_duration_seconds_bucket{module="ledger",le="+Inf"} 3
florin_request_duration_seconds_count{module="ledger"} 3
florin_request_duration_seconds_sum{module="ledger"} 0.25
# EOF
`);
  });

  test("OpenMetrics families have names of the field: snake case, with the unit at the end", () => {
    const families: readonly MetricFamily[] = Object.values(FAMILIES);
    for (const { name, unit = "", type, help } of families) {
      expect(name).toMatch(/^florin_[a-z]+(?:_[a-z]+)*$/);
      expect(name.endsWith(unit)).toBe(true);
      expect(name.endsWith("_total")).toBe(false);
      expect(["gauge", "counter", "histogram"]).toContain(type);
      expect(help).toMatch(/^[A-Z1].*\.$/);
    }
    expect(new Set(families.map(({ name }) => name)).size).toBe(families.length);
  });
});

describe("runs of sweeps", () => {
  const run = (endedMs: number, nextMs: number, error?: string): SweepRun => ({
    name: "s",
    endedMs,
    nextMs,
    error,
  });

  test.each([
    { what: "the first one", next: run(0, 10), last: undefined, isRecorded: true },
    { what: "one right after another", next: run(4000, 8000), last: run(0, 4000) },
    {
      what: "one after half a minute",
      next: run(30_000, 34_000),
      last: run(0, 4000),
      isRecorded: true,
    },
    {
      what: "one before a rest of an hour",
      next: run(4000, 3_604_000),
      last: run(0, 4000),
      isRecorded: true,
    },
    {
      what: "one that is put off, after a success",
      next: { ...run(4000, 8000), wasPutOff: true },
      last: run(0, 4000),
      isRecorded: true,
    },
    { what: "a failure", next: run(4000, 8000, "no"), last: run(0, 4000), isRecorded: true },
    {
      what: "a success after a failure",
      next: run(4000, 8000),
      last: run(0, 4000, "no"),
      isRecorded: true,
    },
    {
      what: "one after a step of the clock",
      next: run(0, 4000),
      last: run(9000, 9000),
      isRecorded: true,
    },
  ])("runs of sweeps are recorded, or not: $what", ({ next, last, isRecorded = false }) => {
    expect(isToBeRecorded(next, last)).toBe(isRecorded);
  });
});

test("problems of a section are shown up to twenty, and the others are counted", () => {
  const problem: Problem = { severity: "warning", what: "a", sinceMs: 1, why: "b", whatToDo: "c" };
  expect(firstProblems([])).toEqual([]);
  expect(firstProblems([problem])).toEqual([problem]);
  const many = firstProblems(
    Array.from({ length: 25 }, () => problem),
    500,
  );
  expect(many).toHaveLength(21);
  expect(many.at(-1)).toMatchObject({ what: "480 more", sinceMs: undefined, whatToDo: "c" });
});
