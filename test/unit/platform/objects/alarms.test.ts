import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Alarms } from "#platform/objects/alarms.ts";

const START_MS = 1_000_000;

beforeEach(() => void vi.useFakeTimers({ now: START_MS }));
afterEach(() => void vi.useRealTimers());

/** The alarm of an object, which outlives its instances. */
class StoredAlarm {
  atMs: number | undefined;
  writes = 0;

  async setAlarm(atMs: number | Date): Promise<void> {
    this.atMs = Number(atMs);
    this.writes++;
  }
}

function instanceOf(stored: StoredAlarm) {
  const done: string[] = [];
  const alarms = new Alarms<"a" | "b">(stored, {
    a: () => done.push("a"),
    b: async () => done.push("b"),
  });
  /** Rings as the platform does when the stored time has come; returns the work that was done. */
  const ring = async (): Promise<string[]> => {
    const atMs = stored.atMs ?? 0;
    stored.atMs = undefined;
    vi.setSystemTime(Math.max(Date.now(), atMs));
    await alarms.ring();
    return done.splice(0);
  };
  return { alarms, ring };
}

describe("two alarms of one object", () => {
  test("two alarms of one object ring at their own times, although only one time is stored", async () => {
    const stored = new StoredAlarm();
    const { alarms, ring } = instanceOf(stored);
    await ring();
    alarms.set("a", START_MS + 300);
    expect(stored.atMs).toBe(START_MS + 300);
    alarms.set("b", START_MS + 100);
    expect(stored.atMs).toBe(START_MS + 100);
    expect(await ring()).toEqual(["b"]);
    expect(stored.atMs).toBe(START_MS + 300);
    expect([alarms.isSet("a"), alarms.isSet("b")]).toEqual([true, false]);
    expect(await ring()).toEqual(["a"]);
    expect(stored.atMs).toBeUndefined();
  });

  test("two alarms of one object cost a write only where the earliest changes", async () => {
    const stored = new StoredAlarm();
    const { alarms } = instanceOf(stored);
    alarms.set("a", START_MS + 100);
    alarms.set("b", START_MS + 200);
    alarms.set("b", START_MS + 300);
    alarms.set("a", START_MS + 100);
    expect(stored.writes).toBe(1);
    alarms.set("a", START_MS + 400);
    expect([stored.atMs, stored.writes]).toEqual([START_MS + 300, 2]);
  });

  test("two alarms of one object are both done by an instance that doesn't know whose time was stored", async () => {
    const stored = new StoredAlarm();
    instanceOf(stored).alarms.set("b", START_MS + 100);
    const { alarms, ring } = instanceOf(stored);
    alarms.set("a", START_MS);
    expect(await ring()).toEqual(["a", "b"]);
    alarms.set("a", START_MS + 500);
    expect(await ring()).toEqual(["a"]);
  });

  test("two alarms of one object keep the time that an instance before has set, until it rings", async () => {
    const stored = new StoredAlarm();
    instanceOf(stored).alarms.set("b", START_MS + 100);
    const { alarms, ring } = instanceOf(stored);
    alarms.inherit(stored.atMs ?? null);
    alarms.set("a", START_MS + 500);
    expect([stored.atMs, stored.writes]).toEqual([START_MS + 100, 1]);
    alarms.set("a", START_MS + 50);
    expect(stored.atMs).toBe(START_MS + 50);
    expect(await ring()).toEqual(["a", "b"]);
    alarms.set("a", START_MS + 500);
    expect(stored.atMs).toBe(START_MS + 500);
  });

  test("two alarms of one object are deleted with the storage of the object", async () => {
    const stored = new StoredAlarm();
    const { alarms, ring } = instanceOf(stored);
    await ring();
    alarms.set("a", START_MS + 100);
    alarms.clear();
    expect(alarms.isSet("a")).toBe(false);
    alarms.set("b", START_MS + 100);
    expect([stored.atMs, stored.writes]).toEqual([START_MS + 100, 2]);
    expect(await ring()).toEqual(["b"]);
  });
});

test("the earliest alarm is due when it rings, even where the clock is behind", async () => {
  const done: string[] = [];
  const alarms = new Alarms(new StoredAlarm(), {
    a: () => done.push("a"),
    b: () => done.push("b"),
  });
  await alarms.ring();
  done.length = 0;
  alarms.set("a", START_MS + 100);
  alarms.set("b", START_MS + 101);
  await alarms.ring();
  expect(done).toEqual(["a"]);
});

test("an alarm is not set to the time at which it rings, even after the clock stepped back", async () => {
  const stored = new StoredAlarm();
  const alarms: Alarms<"work"> = new Alarms(stored, {
    work: () => alarms.set("work", START_MS + 100),
  });
  alarms.set("work", START_MS + 100);
  vi.setSystemTime(START_MS - 3_600_000);
  await alarms.ring();
  expect(stored.atMs).toBe(START_MS + 101);
});

test("work that sets its own alarm again rings on", async () => {
  const stored = new StoredAlarm();
  let left = 3;
  const alarms: Alarms<"work"> = new Alarms(stored, {
    work: () => {
      if (--left > 0) alarms.set("work", Date.now());
    },
  });
  alarms.set("work", Date.now());
  for (; stored.atMs !== undefined; await alarms.ring()) stored.atMs = undefined;
  expect(left).toBe(0);
});

test("work that fails does not hold up other work, and is retried later each time", async () => {
  const stored = new StoredAlarm();
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  let [isBroken, others] = [true, 0];
  const alarms = new Alarms(stored, {
    broken: () => {
      if (isBroken) throw new Error("on purpose");
    },
    other: () => others++,
  });
  const waits: number[] = [];
  for (let ring = 0; ring < 7; ring++) {
    alarms.set("other", Date.now());
    await alarms.ring();
    waits.push((stored.atMs ?? 0) - Date.now());
    vi.setSystemTime(stored.atMs ?? 0);
  }
  expect(waits).toEqual([15, 30, 60, 120, 240, 300, 300].map((seconds) => seconds * 1000));
  expect(others).toBe(7);
  isBroken = false;
  stored.atMs = undefined;
  await alarms.ring();
  expect(stored.atMs).toBeUndefined();
});
