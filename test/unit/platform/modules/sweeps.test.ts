import { afterEach, beforeEach, expect, type MockInstance, test, vi } from "vitest";
import type { ServiceContext } from "#platform/context.ts";
import type { Sweep } from "#platform/modules/module.ts";
import { runSweeps, SWEEP_MS_MAX } from "#platform/modules/sweeps.ts";

let logged: MockInstance;
beforeEach(() => {
  vi.useFakeTimers();
  logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const sweepOf = (name: string, run: () => Promise<number | undefined>): Sweep => ({ name, run });
const noContext = () => ({}) as ServiceContext; // these sweeps look at nothing

test("the earliest time at which a sweep wants to run again counts", async () => {
  const sweeps = [9000, undefined, 7000].map((time, index) =>
    sweepOf(`${index}`, async () => time),
  );
  expect(await runSweeps(sweeps, noContext)).toEqual({ nextMs: 7000, hasFailed: false });
});

test("where no sweep wants to run again, there is no time", async () => {
  const sweeps = [sweepOf("idle", async () => undefined)];
  expect(await runSweeps(sweeps, noContext)).toEqual({ nextMs: Infinity, hasFailed: false });
});

test("a sweep that fails keeps no other from running", async () => {
  const failing = sweepOf("failing", () => Promise.reject(new Error("D1 is down")));
  const outcome = await runSweeps([failing, sweepOf("other", async () => 9000)], noContext);
  expect(outcome).toEqual({ nextMs: 9000, hasFailed: true });
});

test("a sweep that hangs counts as failed after its time", async () => {
  const hanging = sweepOf("hanging", () => new Promise(() => undefined));
  const running = runSweeps([hanging, sweepOf("other", async () => 9000)], noContext);
  await vi.advanceTimersByTimeAsync(SWEEP_MS_MAX);
  expect(await running).toEqual({ nextMs: 9000, hasFailed: true });
  expect(logged).toHaveBeenCalledWith(expect.stringContaining('"sweep":"hanging"'));
});
