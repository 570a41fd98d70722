import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { armClock, RING_MS_MAX, watchClock } from "#platform/objects/deployment-clock.ts";

const START = Date.UTC(2026, 3, 1);
const calls: [string, string, number][] = [];
let env: Pick<Env, "CLOCK">;

beforeEach(() => {
  vi.useFakeTimers({ now: START });
  calls.length = 0;
  const getByName = (name: string) => ({
    arm: async (atMs: number) => void calls.push([name, "arm", atMs]),
    watch: async (untilMs: number) => void calls.push([name, "watch", untilMs]),
  });
  env = { CLOCK: { getByName } } as unknown as Pick<Env, "CLOCK">; // the functions use only these members
});
afterEach(() => void vi.useRealTimers());

test("each sweep has a clock of its own", async () => {
  await armClock(env, "outbox", START);
  await watchClock(env, "grants", START + 35_000);
  expect(calls).toEqual([
    ["sweep:outbox", "arm", START],
    ["sweep:grants", "watch", START + 65_000],
  ]);
});

test("a busy isolate has a clock watch with one call in half a minute, and never for less than it needs", async () => {
  for (let second = 0; second <= 60; second++) {
    vi.setSystemTime(START + second * 1000);
    await watchClock(env, "outbox", Date.now() + 35_000);
    const [, , watched = 0] = calls.at(-1) ?? [];
    expect(watched).toBeGreaterThanOrEqual(Date.now() + 35_000);
  }
  expect(calls).toHaveLength(2);
});

test("a clock that could not be called is called again", async () => {
  const broken = { CLOCK: { getByName: () => ({ watch: () => Promise.reject(new Error("x")) }) } };
  const down = broken as unknown as Pick<Env, "CLOCK">; // the functions use only these members
  for (const _ of [1, 2]) await expect(watchClock(down, "outbox", START)).rejects.toThrow("x");
});

test("the deployment's clock is called again where the machine's clock has stepped back", async () => {
  await watchClock(env, "outbox", START + 35_000);
  vi.setSystemTime(START - 60_000);
  await watchClock(env, "outbox", START - 25_000);
  expect(calls).toHaveLength(2);
});

test("the deployment's clock is not called for a time before which it rings anyway", async () => {
  const far = START + 24 * RING_MS_MAX;
  await armClock(env, "grants", far);
  await armClock(env, "grants", far);
  await armClock(env, "logins", far);
  expect(calls.map(([name]) => name)).toEqual(["sweep:grants", "sweep:logins"]);
  await armClock(env, "grants", START + RING_MS_MAX);
  expect(calls).toHaveLength(3);
});
