import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ownDeadline, sharedDeadlines, type StartDeadline } from "#platform/work/deadline.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const LENGTH_MS = 1000;
const LATEST_MS = LENGTH_MS * 1.1;

const KINDS: [string, () => StartDeadline][] = [
  ["of its own", () => ownDeadline],
  ["shared", sharedDeadlines],
];

for (const [name, open] of KINDS) {
  test(`a deadline passes once, not before its time: ${name}`, () => {
    const start = open();
    const passed = vi.fn<() => void>();
    start(LENGTH_MS, passed);
    vi.advanceTimersByTime(LENGTH_MS - 1);
    expect(passed).not.toHaveBeenCalled();
    vi.advanceTimersByTime(LATEST_MS - LENGTH_MS + 1);
    expect(passed).toHaveBeenCalledOnce();
    vi.advanceTimersByTime(10 * LENGTH_MS);
    expect(passed).toHaveBeenCalledOnce();
  });

  test(`a deadline that has ended never passes, also if it is ended twice: ${name}`, () => {
    const start = open();
    const passed = vi.fn<() => void>();
    const deadline = start(LENGTH_MS, passed);
    const { signal } = deadline;
    vi.advanceTimersByTime(LENGTH_MS - 1);
    deadline.end();
    deadline.end();
    vi.advanceTimersByTime(10 * LENGTH_MS);
    expect(passed).not.toHaveBeenCalled();
    expect(signal.aborted).toBe(false);
  });

  test(`the signal of a deadline aborts when it has passed: ${name}`, () => {
    const start = open();
    const seen: boolean[] = [];
    const deadline = start(LENGTH_MS, () => seen.push(deadline.signal.aborted));
    const { signal } = deadline;
    vi.advanceTimersByTime(LENGTH_MS - 1);
    expect(signal.aborted).toBe(false);
    vi.advanceTimersByTime(LATEST_MS - LENGTH_MS + 1);
    expect(seen).toEqual([false]);
    expect(signal.aborted).toBe(true);
  });
}

test("deadlines that begin together share signals, few each, and no others do", () => {
  const start = sharedDeadlines();
  const begun = Array.from({ length: 100 }, () => start(LENGTH_MS, () => undefined).signal);
  const counts = [...Map.groupBy(begun, (signal) => signal).values()].map((of) => of.length);
  expect(counts).toEqual([32, 32, 32, 4]);
  vi.advanceTimersByTime(LENGTH_MS / 20);
  const later = start(LENGTH_MS, () => undefined).signal;
  expect(begun).not.toContain(later);
  vi.advanceTimersByTime(LENGTH_MS * 1.05 - 1);
  expect(begun.every(({ aborted }) => aborted)).toBe(true);
  expect(later.aborted).toBe(false);
});

test("each of many shared deadlines passes at its own time, to a twentieth", () => {
  const start = sharedDeadlines();
  const begunMs = Date.now();
  const passedMs: number[] = [];
  for (let begun = 0; begun < 500; begun++) {
    const dueMs = Date.now() + LENGTH_MS;
    start(LENGTH_MS, () => passedMs.push(Date.now() - dueMs));
    vi.advanceTimersByTime(7);
  }
  vi.advanceTimersByTime(LATEST_MS);
  expect(Date.now() - begunMs).toBe(500 * 7 + LATEST_MS);
  expect(passedMs).toHaveLength(500);
  expect(Math.min(...passedMs)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...passedMs)).toBeLessThanOrEqual(LENGTH_MS / 20);
});

test("deadlines of several lengths keep apart", () => {
  const start = sharedDeadlines();
  const passed: string[] = [];
  start(10 * LENGTH_MS, () => passed.push("long"));
  start(LENGTH_MS, () => passed.push("short"));
  vi.advanceTimersByTime(LATEST_MS);
  expect(passed).toEqual(["short"]);
  vi.advanceTimersByTime(10 * LATEST_MS);
  expect(passed).toEqual(["short", "long"]);
});

test("a deadline that passes may start another one", () => {
  const start = sharedDeadlines();
  const passed: string[] = [];
  start(LENGTH_MS, () => {
    passed.push("first");
    start(LENGTH_MS, () => passed.push("second"));
  });
  vi.advanceTimersByTime(LATEST_MS);
  expect(passed).toEqual(["first"]);
  vi.advanceTimersByTime(LATEST_MS);
  expect(passed).toEqual(["first", "second"]);
});

test("shared deadlines clear no timer, take few, and none when there is nothing to wait for", () => {
  const set = vi.spyOn(globalThis, "setTimeout");
  const clear = vi.spyOn(globalThis, "clearTimeout");
  const start = sharedDeadlines();
  for (let call = 0; call < 1000; call++) start(LENGTH_MS, () => undefined).end();
  vi.advanceTimersByTime(LENGTH_MS);
  expect(set).toHaveBeenCalledOnce();
  expect(clear).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
  start(LENGTH_MS, () => undefined);
  vi.advanceTimersByTime(2 * LENGTH_MS);
  expect(set.mock.calls.length).toBeLessThanOrEqual(1 + 22);
  expect(vi.getTimerCount()).toBe(0);
});

test("deadlines whose timer the runtime has lost pass after the next start, and not before their time", () => {
  const start = sharedDeadlines();
  const lost = vi.spyOn(globalThis, "setTimeout").mockImplementation((() => 0) as never);
  const passed: string[] = [];
  start(LENGTH_MS, () => passed.push("first"));
  lost.mockRestore();
  vi.advanceTimersByTime(5000);
  start(LENGTH_MS, () => passed.push("early"));
  vi.advanceTimersByTime(LATEST_MS);
  expect(passed).toEqual([]);
  start(LENGTH_MS, () => passed.push("second"));
  vi.advanceTimersByTime(LENGTH_MS - 1);
  expect(passed).toEqual([]);
  vi.advanceTimersByTime(LATEST_MS - LENGTH_MS + 1);
  expect(passed).toEqual(["first", "early", "second"]);
});

test("a timer that was taken for lost and rings late makes no deadline pass early", () => {
  const start = sharedDeadlines();
  const rings: (() => void)[] = [];
  const late = vi
    .spyOn(globalThis, "setTimeout")
    .mockImplementation(((ring: () => void) => rings.push(ring)) as never);
  const passed = vi.fn<() => void>();
  start(LENGTH_MS, passed);
  late.mockRestore();
  vi.advanceTimersByTime(6000);
  start(LENGTH_MS, passed);
  for (const ring of rings) for (let times = 0; times < 100; times++) ring();
  vi.advanceTimersByTime(LENGTH_MS - 1);
  expect(passed).not.toHaveBeenCalled();
});
