import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { setAlarm } from "#platform/objects/set-alarm.ts";

const NOW_MS = 1_000_000;

beforeEach(() => void vi.useFakeTimers({ now: NOW_MS }));
afterEach(() => void vi.useRealTimers());

test("an alarm is set to its time where that is in the future, and else to one of the next milliseconds", async () => {
  const times: number[] = [];
  const storage = { setAlarm: async (atMs: number | Date) => void times.push(Number(atMs)) };
  for (const atMs of [NOW_MS + 500, NOW_MS + 2, NOW_MS + 1, NOW_MS, NOW_MS - 500, -Infinity]) {
    await setAlarm(storage, atMs);
  }
  expect(times.map((ms) => ms - NOW_MS)).toEqual([500, 2, 2, 2, 2, 2]);
});
