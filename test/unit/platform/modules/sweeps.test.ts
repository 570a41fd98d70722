import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ServiceContext } from "#platform/context.ts";
import type { Sweep } from "#platform/modules/module.ts";
import { runSweep, SWEEP_MS_MAX } from "#platform/modules/sweeps.ts";
import { LaneTimeoutError } from "#platform/work/lanes.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const runOf = (run: Sweep["run"]) => runSweep({ name: "test", run }, {} as ServiceContext); // the sweeps of the tests use nothing of the context

test("a sweep says when it wants to run again", async () => {
  expect(await runOf(async () => 7000)).toEqual({ nextMs: 7000, wasPutOff: false });
  expect(await runOf(async () => undefined)).toEqual({ nextMs: undefined, wasPutOff: false });
});

test("a sweep that cannot even begin fails", async () => {
  const broken = (): never => {
    throw new Error("no settings");
  };
  await expect(runOf(broken)).rejects.toThrow("no settings");
});

test("a sweep that hangs has failed after its time", async () => {
  const running = runOf(() => new Promise(() => undefined)).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(SWEEP_MS_MAX);
  expect(await running).toBeInstanceOf(LaneTimeoutError);
});
