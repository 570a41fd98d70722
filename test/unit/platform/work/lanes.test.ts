import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  type LaneLimits,
  Lanes,
  LanesFullError,
  LaneTimeoutError,
  settleAll,
} from "#platform/work/lanes.ts";

const LIMITS: LaneLimits = { total: 3, perKey: 2, waiting: 100, timeoutMs: 1000 };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Lanes whose tasks the test ends. */
function bench(limits: Partial<LaneLimits> = {}) {
  const lanes = new Lanes({ ...LIMITS, ...limits });
  const started: string[] = [];
  const ends = new Map<string, (result?: Error) => void>();
  const settled = new Map<string, unknown>();
  const signals = new Map<string, AbortSignal>();
  const add = (name: string, signal?: AbortSignal): void => {
    const run = (aborted: AbortSignal): Promise<string> => {
      started.push(name);
      signals.set(name, aborted);
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      ends.set(name, (error) => (error === undefined ? resolve(`did ${name}`) : reject(error)));
      return promise;
    };
    lanes.run({ key: name.slice(0, 1), run, signal }).then(
      (value) => settled.set(name, value),
      (error: unknown) => settled.set(name, error),
    );
  };
  const flush = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);
  const end = async (name: string, error?: Error): Promise<void> => {
    ends.get(name)?.(error);
    await flush();
  };
  return { add, end, flush, started, settled, signals };
}

describe("lanes", () => {
  test("lanes run a limited number of tasks at once, and fewer of one key", async () => {
    const { add, end, flush, started } = bench();
    for (const name of ["a1", "a2", "a3", "b1", "b2"]) add(name);
    await flush();
    expect(started).toEqual(["a1", "a2", "b1"]);
    await end("a1");
    expect(started).toEqual(["a1", "a2", "b1", "b2"]);
    await end("a2");
    expect(started).toEqual(["a1", "a2", "b1", "b2", "a3"]);
  });

  test("lanes refuse a task of a key of which too many wait, and leave room for others", async () => {
    const { add, end, flush, started, settled } = bench({ total: 1, perKey: 1, waitingPerKey: 2 });
    for (const name of ["a1", "a2", "a3", "a4", "b1", "b2", "b3"]) add(name);
    await flush();
    expect([...settled.keys()]).toEqual(["a4", "b3"]);
    for (const error of settled.values()) expect(error).toBeInstanceOf(LanesFullError);
    for (const name of ["a1", "b1", "a2", "b2"]) await end(name);
    expect(started).toEqual(["a1", "b1", "a2", "b2", "a3"]);
    add("a4");
    await end("a3");
    expect(started.at(-1)).toBe("a4");
  });

  test("lanes give each key its turn, however many tasks another has", async () => {
    const { add, end, flush, started } = bench({ total: 1 });
    for (const name of ["z1", "a1", "a2", "a3", "b1", "b2", "c1"]) add(name);
    await flush();
    for (const name of ["z1", "a1", "b1", "c1", "a2", "b2"]) await end(name);
    expect(started).toEqual(["z1", "a1", "b1", "c1", "a2", "b2", "a3"]);
  });

  test("lanes are not held up by a key whose tasks hang", async () => {
    const { add, end, flush, started } = bench({ timeoutMs: 1_000_000 });
    for (const name of ["a1", "a2", "a3", "a4"]) add(name); // no task of `a` ever ends
    for (const name of ["b1", "b2", "b3"]) add(name);
    await flush();
    for (const name of ["b1", "b2", "b3"]) await end(name);
    expect(started).toEqual(["a1", "a2", "b1", "b2", "b3"]);
  });

  test("lanes pass on results and errors, even of tasks that throw synchronously", async () => {
    const { add, end, flush, settled } = bench();
    add("a1");
    add("b1");
    await flush();
    await end("a1");
    const failure = new Error("no");
    await end("b1", failure);
    expect(settled).toEqual(
      new Map<string, unknown>([
        ["a1", "did a1"],
        ["b1", failure],
      ]),
    );
    const lanes = new Lanes({ ...LIMITS, total: 1 });
    const run = (): Promise<never> => {
      throw failure;
    };
    await expect(lanes.run({ key: "a", run })).rejects.toBe(failure);
    expect(await lanes.run({ key: "a", run: async () => "next" })).toBe("next");
  });

  test("lanes free the lane of a task that takes too long, and abort it", async () => {
    const { add, end, flush, started, settled, signals } = bench({ total: 1 });
    add("a1");
    add("b1");
    await flush();
    await vi.advanceTimersByTimeAsync(999);
    expect(started).toEqual(["a1"]);
    await vi.advanceTimersByTimeAsync(1);
    expect(started).toEqual(["a1", "b1"]);
    expect(settled.get("a1")).toBeInstanceOf(LaneTimeoutError);
    expect(signals.get("a1")?.reason).toBeInstanceOf(LaneTimeoutError);
    // The late end of the first task does not free the lane of the second task.
    add("c1");
    await end("a1", new Error("too late"));
    expect(started).toEqual(["a1", "b1"]);
    await end("b1");
    expect(started).toEqual(["a1", "b1", "c1"]);
  });

  test("lanes refuse what would wait in a queue that is full, and only that", async () => {
    const { add, end, flush, started, settled } = bench({ total: 2, perKey: 1, waiting: 1 });
    for (const name of ["a1", "a2", "a3", "b1"]) add(name);
    await flush();
    expect(started).toEqual(["a1", "b1"]);
    expect([...settled.keys()]).toEqual(["a3"]);
    expect(settled.get("a3")).toBeInstanceOf(LanesFullError);
    await end("a1");
    add("a4");
    await flush();
    expect([...settled.keys()]).toEqual(["a3", "a1"]);
  });
});

describe("a task that is cancelled", () => {
  const reason = new Error("nobody waits for it");

  test("a task that is cancelled before it is added is not accepted", async () => {
    const { add, flush, started, settled } = bench();
    add("a1", AbortSignal.abort(reason));
    await flush();
    expect([started, settled.get("a1")]).toEqual([[], reason]);
  });

  test("a task that is cancelled while it waits never starts, and leaves its place", async () => {
    const { add, end, flush, started, settled } = bench({ total: 1, waiting: 1 });
    const controller = new AbortController();
    add("a1");
    add("b1", controller.signal);
    controller.abort(reason);
    add("c1");
    await flush();
    expect(settled.get("b1")).toBe(reason);
    await end("a1");
    expect(started).toEqual(["a1", "c1"]);
  });

  test("a task that is cancelled while it runs is aborted, and frees its lane", async () => {
    const { add, flush, started, settled, signals } = bench({ total: 1 });
    const controller = new AbortController();
    add("a1", controller.signal);
    add("b1");
    await flush();
    controller.abort(reason);
    await flush();
    expect(settled.get("a1")).toBe(reason);
    expect(signals.get("a1")?.aborted).toBe(true);
    expect(started).toEqual(["a1", "b1"]);
  });

  test("a task that is cancelled after its end keeps its result", async () => {
    const { add, end, flush, settled, signals } = bench();
    const controller = new AbortController();
    add("a1", controller.signal);
    await flush();
    await end("a1");
    controller.abort(reason);
    expect([settled.get("a1"), signals.get("a1")?.aborted]).toEqual(["did a1", false]);
  });
});

test("a list is worked on to its end, and failures are reported", async () => {
  const failure = new Error("two is odd");
  const done: number[] = [];
  const results = await settleAll([1, 2, 3, 4], {
    limits: { total: 2, perKey: 1, timeoutMs: 1000 },
    keyOf: String,
    run: async (item) => {
      if (item === 2) throw failure;
      done.push(item);
    },
  });
  expect(done).toEqual([1, 3, 4]);
  expect(results).toEqual([{ item: 1 }, { item: 2, error: failure }, { item: 3 }, { item: 4 }]);
});

test("every task runs once, in the order of its key, and no limit is broken, whatever comes when", async () => {
  vi.useRealTimers();
  const limits = fc.record({
    total: fc.integer({ min: 1, max: 5 }),
    perKey: fc.integer({ min: 1, max: 5 }),
  });
  const tasks = fc.array(fc.record({ key: fc.constantFrom("a", "b", "c"), turns: fc.nat(4) }), {
    maxLength: 40,
  });
  await fc.assert(
    fc.asyncProperty(limits, tasks, async ({ total, perKey }, all) => {
      const lanes = new Lanes({ total, perKey, waiting: 100, timeoutMs: 60_000 });
      const running: string[] = [];
      const began: number[] = [];
      const run = async (index: number, key: string, turns: number): Promise<number> => {
        running.push(key);
        began.push(index);
        expect(running.length).toBeLessThanOrEqual(total);
        expect(running.filter((other) => other === key).length).toBeLessThanOrEqual(perKey);
        for (let turn = 0; turn < turns; turn++) await Promise.resolve();
        running.splice(running.indexOf(key), 1);
        return index;
      };
      const results = await Promise.all(
        all.map(({ key, turns }, index) => lanes.run({ key, run: () => run(index, key, turns) })),
      );
      expect(results).toEqual(all.map((_, index) => index));
      for (const key of ["a", "b", "c"]) {
        const ofKey = began.filter((index) => all[index]?.key === key);
        expect(ofKey).toEqual(ofKey.toSorted((a, b) => a - b));
      }
    }),
  );
});
