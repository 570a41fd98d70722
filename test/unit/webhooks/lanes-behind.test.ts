import { expect, test } from "vitest";
import { LanesBehind } from "#modules/webhooks/fan-out/lanes-behind.ts";

test("a lane is behind for a second after it said so, or until it keeps up", () => {
  let nowMs = 5000;
  const behind = new LanesBehind(() => nowMs);
  expect(behind.has("a")).toBe(false);
  behind.add("a");
  behind.add("b");
  expect([behind.has("a"), behind.has("b"), behind.has("c")]).toEqual([true, true, false]);
  behind.delete("b");
  nowMs += 999;
  expect([behind.has("a"), behind.has("b")]).toEqual([true, false]);
  nowMs += 1;
  expect(behind.has("a")).toBe(false);
});

test("the number of lanes that are known to be behind is bounded", () => {
  const behind = new LanesBehind(() => 0);
  for (let lane = 0; lane <= 1000; lane++) behind.add(`${lane}`);
  expect([behind.has("0"), behind.has("1000")]).toEqual([false, true]);
});
