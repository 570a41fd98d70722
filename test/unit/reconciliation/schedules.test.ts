import { describe, expect, test } from "vitest";
import { parseCron } from "#modules/reconciliation/core/cron.ts";
import { periodOf } from "#modules/reconciliation/core/period.ts";
import { missedTimes, toSchedule } from "#modules/reconciliation/core/schedule.ts";
import { fromMillis, parseTimestamp, type Timestamp } from "#platform/time.ts";

const ms = (text: string): number => Date.parse(text);

/** The first times of an expression after a moment. */
function timesAfter(
  expression: string,
  zone: string,
  { after, count }: { readonly after: string; readonly count: number },
): string[] {
  const times = parseCron(expression, zone);
  const found: string[] = [];
  for (let at = times?.next(ms(after)); at !== undefined && found.length < count;) {
    found.push(new Date(at).toISOString().replace(":00.000Z", "Z"));
    at = times?.next(at);
  }
  return found;
}

describe("the times of cron expressions", () => {
  test.each([
    ["*/15 * * * *", ["2026-03-04T10:15Z", "2026-03-04T10:30Z"]],
    ["5/20 * * * *", ["2026-03-04T10:05Z", "2026-03-04T10:25Z"]],
    ["0 6 * * *", ["2026-03-05T06:00Z", "2026-03-06T06:00Z"]],
    ["0 0 13 * FRI", ["2026-03-06T00:00Z", "2026-03-13T00:00Z", "2026-03-20T00:00Z"]],
    ["0 0 ? jan,mar MON-WED", ["2026-03-09T00:00Z", "2026-03-10T00:00Z"]],
    ["@hourly", ["2026-03-04T11:00Z", "2026-03-04T12:00Z"]],
    ["@monthly", ["2026-04-01T00:00Z", "2026-05-01T00:00Z"]],
    ["@every 90m", ["2026-03-04T10:30Z", "2026-03-04T12:00Z"]],
  ])("the times of %s are those of standard cron", (expression, expected) => {
    const count = expected.length;
    expect(timesAfter(expression, "UTC", { after: "2026-03-04T10:00:00Z", count: count })).toEqual(
      expected,
    );
  });

  test("a time in an hour that is left out comes due at the change, once", () => {
    expect(
      timesAfter("30 2 * * *", "Europe/Berlin", { after: "2026-03-28T02:00:00Z", count: 2 }),
    ).toEqual(["2026-03-29T01:00Z", "2026-03-30T00:30Z"]);
  });

  test("a time in an hour that comes twice comes due once, and every quarter of an hour in both", () => {
    expect(
      timesAfter("30 2 * * *", "Europe/Berlin", { after: "2026-10-24T12:00:00Z", count: 2 }),
    ).toEqual(["2026-10-25T00:30Z", "2026-10-26T01:30Z"]);
    const quarters = timesAfter("*/15 * * * *", "Europe/Berlin", {
      after: "2026-10-24T23:59:00Z",
      count: 9,
    });
    expect(quarters.map((time) => ms(time) - ms("2026-10-25T00:00Z"))).toEqual(
      [0, 1, 2, 3, 4, 5, 6, 7, 8].map((place) => place * 900_000),
    );
  });

  test.each([
    "",
    "* * * *",
    "* * * * * *",
    "60 * * * *",
    "0 24 * * *",
    "0 0 30 2 *",
    "@soon",
    "@every 5s",
    "@every x",
    "0 0 L * *",
    "0 0 * * 5#2",
    "0 0 15W * *",
    "a b c d e",
    "*/0 * * * *",
  ])("the expression '%s' is refused", (expression) => {
    expect(parseCron(expression, "UTC")).toBeUndefined();
  });

  test("an unknown zone is refused", () => {
    expect(parseCron("0 6 * * *", "Europe/Nowhere")).toBeUndefined();
  });

  test.each(["*/15 * * * *", "30 2 * * *", "0 6 1 * *"])(
    "the last time of %s before a moment is followed by none up to the moment",
    (expression) => {
      const times = parseCron(expression, "Europe/Berlin");
      for (const at of [
        "2026-03-29T00:59:00Z",
        "2026-03-29T01:00:00Z",
        "2026-10-25T01:10:00Z",
        "2026-07-01T04:00:00Z",
      ]) {
        const last = times?.last(ms(at)) ?? Number.NaN;
        expect(last).toBeLessThanOrEqual(ms(at));
        expect(times?.next(last)).toBeGreaterThan(ms(at));
        expect(times?.next(last - 1)).toBe(last);
      }
    },
  );
});

describe("missed times", () => {
  const cron = { kind: "cron", expr: "*/10 * * * *" } as const;
  const dueMs = ms("2026-03-04T10:00:00Z");

  test.each([
    ["2026-03-04T10:00:00Z", 1, "2026-03-04T10:00:00Z"],
    ["2026-03-04T10:09:59Z", 1, "2026-03-04T10:00:00Z"],
    ["2026-03-04T11:05:00Z", 7, "2026-03-04T11:00:00Z"],
    ["2026-06-04T11:05:00Z", 1000, "2026-06-04T11:00:00Z"],
  ])("at %s, %d are due, the last of them at %s", (now, count, last) => {
    expect(missedTimes(cron, { dueMs, nowMs: ms(now) })).toEqual({ count, lastMs: ms(last) });
  });
});

describe("schedules in requests", () => {
  const none = { expr: "", tz: "", safetyMargin: "", types: [], debounce: "" };
  const all = ["on_demand", "cron", "events"] as const;

  test("schedules in requests have the members of their kind", () => {
    expect(toSchedule({ ...none, kind: "on_demand" })).toEqual({ kind: "on_demand" });
    const cron = { kind: "cron", expr: "@daily", tz: "Asia/Tokyo", safetyMargin: "0s" };
    expect(toSchedule({ ...none, ...cron })).toEqual(cron);
    const types = ["ledger.committed_transactions", "ledger.committed_transactions"];
    expect(toSchedule({ ...none, kind: "events", types }, all)).toEqual({
      kind: "events",
      types: ["ledger.committed_transactions"],
      debounce: "30s",
    });
  });

  test.each([
    [{ kind: "" }, "schedule.kind"],
    [{ kind: "events", types: ["a.b"] }, "schedule.kind"],
    [{ kind: "cron" }, "schedule.expr"],
    [{ kind: "cron", expr: "x" }, "schedule.expr"],
    [{ kind: "cron", expr: "@daily", tz: "Nowhere" }, "schedule.tz"],
    [{ kind: "cron", expr: "@daily", safetyMargin: "-1s" }, "schedule.safetyMargin"],
    [{ kind: "cron", expr: "@daily", safetyMargin: "1000h" }, "schedule.safetyMargin"],
    [{ kind: "on_demand", expr: "@daily" }, "schedule.expr"],
    [{ kind: "on_demand", debounce: "1s" }, "schedule.debounce"],
  ])("schedules in requests are refused: %j", (fields, field) => {
    expect(() => toSchedule({ ...none, ...fields })).toThrow(field);
  });

  test.each([
    [{ types: [] }, "schedule.types"],
    [{ types: ["COMMITTED"] }, "schedule.types"],
    [{ types: ["reconciliation.opened_alert"] }, "schedule.types"],
    [{ types: ["a.b"], debounce: "29s" }, "schedule.debounce"],
    [{ types: ["a.b"], debounce: "25h" }, "schedule.debounce"],
    [{ types: ["a.b"], tz: "UTC" }, "schedule.tz"],
    [{ types: Array.from({ length: 51 }, (_, place) => `a.b${place}`) }, "schedule.types"],
  ])("schedules on events are refused: %j", (fields, field) => {
    expect(() => toSchedule({ ...none, kind: "events", ...fields }, all)).toThrow(field);
  });
});

describe("periods", () => {
  const at = (text: string): Timestamp => parseTimestamp(text) ?? fromMillis(0);

  test.each([
    ["continuous", "2026-03-04T00:00:00Z", "continuous"],
    ["daily", "2026-03-04T23:59:59Z", "2026-03-04"],
    ["daily", "2026-03-05T00:30:00+02:00", "2026-03-04"],
    ["monthly", "2026-03-04T00:00:00Z", "2026-03"],
    ["weekly", "2026-03-04T00:00:00Z", "2026-W10"],
    ["weekly", "2026-01-01T00:00:00Z", "2026-W01"],
    ["weekly", "2027-01-03T23:59:59Z", "2026-W53"],
    ["weekly", "2024-12-30T00:00:00Z", "2025-W01"],
    ["weekly", "1969-12-31T00:00:00Z", "1970-W01"],
  ] as const)("the %s period of %s is %s", (type, moment, period) => {
    expect(periodOf(type, at(moment))).toBe(period);
  });
});
