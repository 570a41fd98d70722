import { describe, expect, test, vi } from "vitest";
import type { LiveEvent } from "#modules/events/core/event-ring.ts";
import { LiveRecorder } from "#modules/events/live-recorder.ts";

const eventOf = (id: string): LiveEvent => ({
  id,
  name: "ledger.saved_metadata",
  ledger: undefined,
  body: "{}",
});

/** A recorder with a world that the test controls. */
function bench() {
  const world = {
    nowMs: 1_000_000,
    isOn: true,
    reads: 0,
    /** The promises that the read of the flag and the recording wait for. */
    read: async (): Promise<void> => undefined,
    store: async (): Promise<void> => undefined,
    /** The ids that were recorded, with an entry for each gap before its event. */
    recorded: [] as string[],
  };
  const recorder = new LiveRecorder({
    isRecording: async () => {
      world.reads++;
      await world.read();
      return world.isOn;
    },
    record: async (events, hasMissed) => {
      await world.store();
      world.recorded.push(...(hasMissed ? ["gap"] : []), ...events.map(({ id }) => id));
    },
    nowMs: () => world.nowMs,
  });
  return { world, recorder };
}

const fail = async (): Promise<void> => {
  throw new Error("out of order");
};

describe("whether anybody listens", () => {
  test("whether anybody listens is read at most twice a second", async () => {
    const { world, recorder } = bench();
    world.isOn = false;
    for (let i = 0; i < 100; i++) {
      expect(await recorder.isRecording()).toBe(false);
      world.nowMs += 10;
    }
    expect(world.reads).toBe(2);
    world.isOn = true;
    world.nowMs += 500;
    expect(await recorder.isRecording()).toBe(true);
  });

  test("whether anybody listens is read again when the clock was set back", async () => {
    const { world, recorder } = bench();
    world.isOn = false;
    await recorder.isRecording();
    world.isOn = true;
    world.nowMs -= 1;
    expect(await recorder.isRecording()).toBe(true);
  });

  test("whether anybody listens counts from before it was read", async () => {
    const { world, recorder } = bench();
    world.isOn = false;
    world.read = async () => {
      world.nowMs += 499;
    };
    await recorder.isRecording();
    world.isOn = true;
    world.nowMs += 1;
    expect(await recorder.isRecording()).toBe(true);
  });

  test("whether anybody listens is no where it can't be read, and what that has cost becomes a gap", async () => {
    const { world, recorder } = bench();
    world.read = fail;
    expect(await recorder.isRecording()).toBe(false);
    world.read = async () => undefined;
    expect(await recorder.isRecording()).toBe(true);
    await recorder.record([eventOf("a")]);
    await recorder.record([eventOf("b")]);
    expect(world.recorded).toEqual(["gap", "a", "b"]);
  });

  test("asking whether anybody listens has cost nothing where nobody listened", async () => {
    const { world, recorder } = bench();
    world.read = fail;
    await recorder.isRecording();
    world.read = async () => undefined;
    world.isOn = false;
    await recorder.isRecording();
    world.isOn = true;
    world.nowMs += 500;
    expect(await recorder.isRecording()).toBe(true);
    await recorder.record([eventOf("a")]);
    expect(world.recorded).toEqual(["a"]);
  });
});

describe("an object of the streams that fails", () => {
  test("an object of the streams that fails is left alone for a while, and what was dropped becomes a gap", async () => {
    const { world, recorder } = bench();
    const store = vi.fn<() => Promise<void>>(fail);
    world.store = store;
    await recorder.record([eventOf("a")]);
    await recorder.record([eventOf("b")]);
    world.nowMs += 29_999;
    await recorder.record([eventOf("c")]);
    expect(store).toHaveBeenCalledTimes(1);
    world.nowMs += 1;
    world.store = async () => undefined;
    await recorder.record([eventOf("d")]);
    await recorder.record([eventOf("e")]);
    expect(world.recorded).toEqual(["gap", "d", "e"]);
  });

  test("an object of the streams that hangs is not waited for", async () => {
    vi.useFakeTimers();
    try {
      const { world, recorder } = bench();
      world.store = () => new Promise(() => undefined);
      const recording = recorder.record([eventOf("a")]);
      await vi.advanceTimersByTimeAsync(5000);
      await recording;
      await recorder.record([eventOf("b")]);
      expect(world.recorded).toEqual([]);
    } finally {
      vi.useRealTimers();
    }
  });

  test("an object of the streams and a database that hang are not waited for", async () => {
    vi.useFakeTimers();
    try {
      const { world, recorder } = bench();
      world.read = () => new Promise(() => undefined);
      const reading = recorder.isRecording();
      await vi.advanceTimersByTimeAsync(2000);
      expect(await reading).toBe(false);
    } finally {
      vi.useRealTimers();
    }
  });
});
