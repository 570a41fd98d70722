import { describe, expect, it } from "vitest";
import { AnnouncementPace } from "#modules/ledger/objects/announcement-pace.ts";

/** The times of the messages for commits at the given times, if each message is confirmed `confirmationMs` after it was sent. */
function messageTimes(commitTimes: readonly number[], confirmationMs: number): number[] {
  const pace = new AnnouncementPace();
  const times: number[] = [];
  let next = 0;
  while (next < commitTimes.length) {
    const first = commitTimes[next] ?? 0;
    const nowMs = Math.max(first, (times.at(-1) ?? 0) + confirmationMs);
    const sentMs = nowMs + pace.waitMs(nowMs);
    const entries = commitTimes.slice(next).filter((timeMs) => timeMs <= sentMs).length;
    pace.sent(entries, sentMs);
    pace.confirmed(sentMs + confirmationMs);
    times.push(sentMs);
    next += entries;
  }
  return times;
}

const commitsEvery = (intervalMs: number, count: number) =>
  Array.from({ length: count }, (_, index) => 1_000_000 + index * intervalMs);

describe("the pace of announcements", () => {
  it("the pace of announcements announces each of a few commits at once", () => {
    const commits = commitsEvery(30, 50);
    expect(messageTimes(commits, 5)).toEqual(commits.map((timeMs) => timeMs + 10));
  });

  it("the pace of announcements collects many commits, and sends two messages a second at most", () => {
    const times = messageTimes(commitsEvery(2, 5000), 5);
    expect(times.length).toBeLessThan(30);
    const intervals = times.slice(10).map((timeMs, index) => timeMs - (times[index + 9] ?? 0));
    expect(Math.min(...intervals.slice(0, -1))).toBeGreaterThanOrEqual(500);
  });

  it("the pace of announcements leaves less time between the first messages of a burst", () => {
    const times = messageTimes(commitsEvery(1, 3000), 5);
    const intervals = times.slice(1).map((timeMs, index) => timeMs - (times[index] ?? 0));
    expect(intervals.slice(0, 5)).toEqual([100, 200, 400, 500, 500]);
  });

  it("the pace of announcements is quick again after a burst", () => {
    const burst = commitsEvery(2, 500);
    const end = (burst.at(-1) ?? 0) + 2000;
    const slow = Array.from({ length: 20 }, (_, index) => end + index * 100);
    expect(messageTimes([...burst, ...slow], 5).slice(-19)).toEqual(
      slow.slice(1).map((timeMs) => timeMs + 10),
    );
  });

  it("the pace of announcements leaves listeners that take long a pause", () => {
    const times = messageTimes(commitsEvery(30, 60), 100);
    const intervals = times.slice(1).map((timeMs, index) => timeMs - (times[index] ?? 0));
    expect(Math.min(...intervals)).toBeGreaterThanOrEqual(200);
  });

  it("the pace of announcements waits half a second at most when the clock has stepped back", () => {
    const pace = new AnnouncementPace();
    pace.sent(1, 1_000_000);
    pace.confirmed(1_000_005);
    expect(pace.waitMs(0)).toBe(500);
    pace.sent(1, 500);
    pace.confirmed(505);
    expect(pace.waitMs(600)).toBe(10);
  });
});
