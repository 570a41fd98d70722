import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { takeTurns } from "#platform/work/turns.ts";

test("work that takes turns lets a timer ring, however many chains of it there are", async () => {
  const endMs = Date.now() + 60_000;
  const rung = new AbortController();
  const chain = async (): Promise<number> => {
    let steps = 0;
    for (; !rung.signal.aborted && Date.now() < endMs; steps++) await takeTurns();
    return steps;
  };
  await delay(20); // nobody has taken turns for a while
  const chains = [chain(), chain(), chain()];
  setTimeout(() => rung.abort(), 30);
  const steps = await Promise.all(chains);
  expect(rung.signal.aborted).toBe(true);
  for (const count of steps) expect(count).toBeGreaterThan(0);
});
