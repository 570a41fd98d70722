import { expect, test } from "vitest";
import { RunSlots } from "#modules/orchestration/run/run-slots.ts";

const LIMITS = { total: 4, ofOne: 2, leaseMs: 1000 };

test("an owner who executes many instances leaves places to others", () => {
  const places = new RunSlots(LIMITS);
  const [first, second, third] = [places.take("a"), places.take("a"), places.take("a")];
  expect([first, second]).not.toContain(undefined);
  expect(third).toBeUndefined();
  expect(places.take("b")).toBeDefined();
  first?.();
  first?.();
  expect(places.take("a")).toBeDefined();
  expect(places.take("c")).toBeDefined();
  expect(places.take("d")).toBeUndefined();
});

test.each([
  ["after a while", 1000],
  ["where the clock has stepped back", -5000],
])("a place that nobody gives back is free %s", (_when, passedMs) => {
  let nowMs = 100_000;
  const places = new RunSlots(LIMITS, () => nowMs);
  for (const owner of ["a", "a", "b", "b"]) places.take(owner);
  expect(places.take("c")).toBeUndefined();
  nowMs += passedMs;
  expect(places.take("a")).toBeDefined();
});
