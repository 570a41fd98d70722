import { describe, expect, test } from "vitest";
import { Busiest } from "#platform/traffic/busiest.ts";

const PERIOD_MS = 60_000;
const START_MS = 1_000_000;

const busiestOf = (placesMax: number) =>
  new Busiest({ placesMax, periodMs: PERIOD_MS, makeValue: () => ({ count: 0 }) });

const add = (busiest: ReturnType<typeof busiestOf>, key: string, times: number): void =>
  addAt(busiest, { key, times, nowMs: START_MS });

function addAt(
  busiest: ReturnType<typeof busiestOf>,
  { key, times, nowMs }: { key: string; times: number; nowMs: number },
): void {
  for (let at = 0; at < times; at++) busiest.of(key, nowMs, true).count++;
}

const countsOf = (busiest: ReturnType<typeof busiestOf>) => ({
  ...Object.fromEntries([...busiest.entries()].map(([key, { count }]) => [key, count])),
  others: busiest.others.count,
});

describe("the busiest keys", () => {
  test("the first keys get places, and all others share a value", () => {
    const busiest = busiestOf(2);
    for (const key of ["a", "b", "c", "d", "a"]) add(busiest, key, 1);
    expect(countsOf(busiest)).toEqual({ a: 2, b: 1, others: 2 });
  });

  test("a key that is twice as busy as the quietest place takes it at the end of the period", () => {
    const busiest = busiestOf(2);
    add(busiest, "quiet", 5);
    add(busiest, "busy", 50);
    add(busiest, "new", 10);
    addAt(busiest, { key: "new", times: 1, nowMs: START_MS + PERIOD_MS });
    expect(countsOf(busiest)).toEqual({ busy: 50, new: 1, others: 10 });
  });

  test("keys that are about as busy do not alternate", () => {
    const busiest = busiestOf(1);
    add(busiest, "first", 10);
    add(busiest, "second", 19);
    addAt(busiest, { key: "second", times: 1, nowMs: START_MS + PERIOD_MS });
    expect(countsOf(busiest)).toEqual({ first: 10, others: 20 });
  });

  test("a place without requests in a period goes to a key that has some", () => {
    const busiest = busiestOf(1);
    add(busiest, "first", 10);
    addAt(busiest, { key: "second", times: 2, nowMs: START_MS + PERIOD_MS });
    addAt(busiest, { key: "second", times: 1, nowMs: START_MS + 2 * PERIOD_MS });
    expect(countsOf(busiest)).toEqual({ second: 1, others: 2 });
  });

  test("the busiest of ten thousand keys without places is found, and the memory is bounded", () => {
    const busiest = busiestOf(1);
    add(busiest, "first", 1);
    for (let at = 0; at < 10_000; at++) {
      add(busiest, `rare-${at}`, 1);
      if (at % 10 === 0) add(busiest, "heavy", 1);
    }
    addAt(busiest, { key: "heavy", times: 1, nowMs: START_MS + PERIOD_MS });
    expect(countsOf(busiest)).toEqual({ heavy: 1, others: 11_000 });
  });

  test("a key that is not known, or is too long, gets no place", () => {
    const busiest = busiestOf(2);
    busiest.of("guessed", START_MS, false).count++;
    add(busiest, "x".repeat(200), 1);
    expect(countsOf(busiest)).toEqual({ others: 2 });
  });

  test("a period ends when the clock has stepped back", () => {
    const busiest = busiestOf(1);
    addAt(busiest, { key: "first", times: 1, nowMs: START_MS + 10 * PERIOD_MS });
    addAt(busiest, { key: "second", times: 2, nowMs: START_MS + 10 * PERIOD_MS });
    addAt(busiest, { key: "second", times: 1, nowMs: START_MS });
    expect(countsOf(busiest)).toEqual({ second: 1, others: 2 });
  });
});
