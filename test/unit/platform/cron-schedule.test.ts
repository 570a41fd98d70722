import { describe, expect, test } from "vitest";
import { present } from "#platform/assert.ts";
import { CronSchedule } from "#platform/cron-schedule.ts";

const scheduleOf = (text: string): CronSchedule => present(CronSchedule.parse(text), text);
const millis = (text: string): number => Date.parse(text);
const iso = (ms: number | undefined): string | undefined =>
  ms === undefined ? undefined : new Date(ms).toISOString();

describe("a cron schedule", () => {
  test.each([
    ["0 0 * * * *", "2026-03-01T09:30:00Z", "2026-03-01T10:00:00.000Z"],
    ["0 0 * * * *", "2026-03-01T10:00:00.000Z", "2026-03-01T10:00:00.000Z"],
    ["0 0 * * * *", "2026-03-01T10:00:00.001Z", "2026-03-01T11:00:00.000Z"],
    ["*/5 * * * * *", "2026-03-01T10:00:01Z", "2026-03-01T10:00:05.000Z"],
    ["30 15 4 * * *", "2026-03-01T10:00:00Z", "2026-03-02T04:15:30.000Z"],
    ["0 0 0 29 2 *", "2026-03-01T10:00:00Z", "2028-02-29T00:00:00.000Z"],
    ["0 0 3 * * MON", "2026-03-01T10:00:00Z", "2026-03-02T03:00:00.000Z"],
  ])("the schedule %s at %s or after it comes at %s, in UTC", (text, at, next) => {
    expect(iso(scheduleOf(text).next(millis(at)))).toBe(next);
  });

  test.each([
    ["0 0 * * * *", "2026-03-01T09:30:00Z", "2026-03-01T09:00:00.000Z"],
    ["0 0 * * * *", "2026-03-01T10:00:00.000Z", "2026-03-01T10:00:00.000Z"],
    ["0 0 * * * *", "2026-03-01T09:59:59.999Z", "2026-03-01T09:00:00.000Z"],
    ["0 0 0 29 2 *", "2026-03-01T10:00:00Z", "2024-02-29T00:00:00.000Z"],
  ])("the schedule %s at %s or before it came at %s", (text, at, last) => {
    expect(iso(scheduleOf(text).last(millis(at)))).toBe(last);
  });

  test("a cron schedule has no next time beyond the last possible date", () => {
    const hourly = scheduleOf("0 0 * * * *");
    for (const atMs of [millis("3000-01-01T00:00:01Z"), 1e300, Infinity]) {
      expect(hourly.next(atMs)).toBeUndefined();
    }
  });

  test.each([
    "",
    "x",
    "0 * * * *",
    "* * * * * * *",
    "@hourly",
    "60 * * * * *",
    "0 0 0 30 2 *",
    "0 0 25 * * *",
  ])("a cron schedule is not made of %o", (text) => {
    expect(CronSchedule.parse(text)).toBeUndefined();
  });
});
