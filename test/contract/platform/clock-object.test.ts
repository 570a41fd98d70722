import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { BucketService } from "#modules/ledger/buckets/service.ts";
import { present } from "#platform/assert.ts";
import { systemContext } from "#platform/context.ts";
import { Outbox } from "#platform/events/outbox.ts";
import { armClock, clockOf, RING_MS_MAX, watchClock } from "#platform/objects/deployment-clock.ts";
import type { ClockObject } from "#src/clock-object.ts";
import { freshName } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { evict } from "#test/support/platform/evict.ts";

const HOUR = 3_600_000;
/** The shortest waits after one failure and after two, less the time that the test itself takes. */
const FIRST_WAIT_MS = 5000;
const SECOND_WAIT_MS = 12_000;

type Clock = DurableObjectStub<ClockObject>;

const alarmOf = (clock: Clock): Promise<number | null> =>
  runInDurableObject(clock, (_clock, { storage }) => storage.getAlarm());

/** Sets the alarm of a clock two hours ahead, so that it does not ring during the test. */
async function disarm(clock: Clock): Promise<void> {
  await runInDurableObject(clock, (_clock, { storage }) => storage.setAlarm(Date.now() + 2 * HOUR));
}

afterEach(() => vi.restoreAllMocks());

const logged = () => vi.spyOn(console, "error").mockImplementation(() => undefined);

test("the clock of a sweep keeps the earliest time that it was armed with, also after an eviction", async () => {
  const clock = clockOf(env, "orchestration-retention");
  await disarm(clock);
  const atMs = Date.now() + HOUR;
  await clock.arm(atMs);
  await clock.arm(atMs + 1000);
  expect(await alarmOf(clock)).toBe(atMs);
  await evict(clock);
  await clock.arm(atMs - 1000);
  await clock.arm(atMs);
  expect(await alarmOf(clock)).toBe(atMs - 1000);
});

test("the clock of a sweep rings once an hour where nothing is under way, by the name that it was armed with", async () => {
  const clock = clockOf(env, "wallet-holds");
  await clock.arm(Date.now() + HOUR);
  await evict(clock);
  expect(await runDurableObjectAlarm(clock)).toBe(true);
  const alarm = present(await alarmOf(clock), "every sweep runs again");
  expect(alarm).toBeGreaterThan(Date.now() + HOUR - 60_000);
  expect(alarm).toBeLessThanOrEqual(Date.now() + RING_MS_MAX);
});

test("the clock of a sweep is refused for a sweep that there is not", async () => {
  const clock = clockOf(env, freshName("nobody"));
  await runInDurableObject(clock, async (object) => {
    await expect(object.arm(Date.now())).rejects.toThrow("no sweep belongs to the clock");
  });
  const lines = logged();
  await runInDurableObject(clock, (object) => object.alarm());
  expect(lines).toHaveBeenCalledOnce();
  expect(await alarmOf(clock)).toBeNull();
});

test("the clock of a sweep stays set when its sweep is armed while it runs", async () => {
  const clock = clockOf(env, "webhook-owed");
  await clock.arm(Date.now() + HOUR);
  await runInDurableObject(clock, async (object) => {
    const sweeping = object.alarm();
    await object.arm(Date.now() + 10_000);
    await sweeping;
  });
  expect(await alarmOf(clock)).toBeLessThanOrEqual(Date.now() + 10_000);
});

test("sweeps again and again while it watches, and once after the end", async () => {
  const clock = clockOf(env, "buckets");
  vi.spyOn(BucketService.prototype, "sweep").mockResolvedValue(undefined);
  const untilMs = Date.now() + HOUR;
  await clock.watch(untilMs);
  await clock.watch(untilMs - 1000);
  for (const _ of [1, 2]) {
    const alarm = present(await alarmOf(clock), "it is set");
    expect(alarm).toBeLessThanOrEqual(Date.now() + 4000);
    await evict(clock);
    await runDurableObjectAlarm(clock);
  }
  vi.spyOn(Date, "now").mockReturnValue(untilMs);
  await runDurableObjectAlarm(clock);
  expect(await alarmOf(clock)).toBeGreaterThan(untilMs + HOUR - 60_000);
});

test("the clock of a sweep has the next clock of the circle ring where that has never rung", async () => {
  const [first, next] = [clockOf(env, "storage-sizes"), clockOf(env, "outbox")];
  await runInDurableObject(next, (_clock, { storage }) => storage.deleteAlarm());
  await first.arm(Date.now() + HOUR);
  await evict(first);
  await runDurableObjectAlarm(first);
  await eventually(async () => expect(await alarmOf(next)).not.toBeNull());
  await disarm(next);
  const set = await alarmOf(next);
  await evict(first);
  await runDurableObjectAlarm(first);
  expect(await alarmOf(next)).toBe(set);
});

/** Lets the sweep of the outbox run at once. */
async function sweepOutbox(): Promise<void> {
  const clock = clockOf(env, "outbox");
  const sweep = vi.spyOn(Outbox.prototype, "sweep");
  await clock.arm(Date.now());
  await eventually(() => expect(sweep).toHaveBeenCalled());
}

test("a sweep that hangs delays no other one", async () => {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const hanging = vi.spyOn(BucketService.prototype, "sweep").mockReturnValue(promise);
  const clock = clockOf(env, "buckets");
  await clock.arm(Date.now());
  await eventually(() => expect(hanging).toHaveBeenCalledOnce());
  await sweepOutbox();
  // Callers that arm the clock of the hanging sweep do not wait for the sweep, either.
  await clock.arm(Date.now() + 10_000);
  resolve(undefined);
});

test("a sweep that fails is named, and left alone for longer each time; no other one is", async () => {
  const lines = logged();
  const clock = clockOf(env, "buckets");
  const failing = vi.spyOn(BucketService.prototype, "sweep").mockRejectedValue(new Error("broken"));
  await disarm(clock);
  await runDurableObjectAlarm(clock);
  const line = expect.stringMatching(/"sweep":"buckets","failures":1/) as string;
  expect(lines).toHaveBeenCalledWith(line);
  const first = present(await alarmOf(clock), "it is run again");
  expect(first).toBeGreaterThan(Date.now() + FIRST_WAIT_MS);
  await clock.arm(Date.now());
  expect(await alarmOf(clock)).toBe(first);
  await sweepOutbox();
  await runDurableObjectAlarm(clock);
  expect(await alarmOf(clock)).toBeGreaterThan(Date.now() + SECOND_WAIT_MS);
  failing.mockResolvedValue(undefined);
  await runDurableObjectAlarm(clock);
  await clock.arm(Date.now() + FIRST_WAIT_MS);
  expect(await alarmOf(clock)).toBeLessThanOrEqual(Date.now() + FIRST_WAIT_MS);
});

test("the sweep of an outbox comes for what is published, whatever an earlier isolate knew", async () => {
  const clock = clockOf(env, "outbox");
  await disarm(clock);
  const context = systemContext({ ...env }, "test"); // a new environment object, for which no state of the clock is remembered
  await watchClock(context.env, "outbox", Date.now() + 35_000);
  expect(await alarmOf(clock)).toBeLessThanOrEqual(Date.now() + 4000);
  await armClock(context.env, "outbox", Date.now() + 1000);
  expect(await alarmOf(clock)).toBeLessThanOrEqual(Date.now() + 1000);
});
