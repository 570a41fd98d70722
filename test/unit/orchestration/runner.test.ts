import { describe, expect, test } from "vitest";
import { EndWatch } from "#modules/orchestration/run/end-watch.ts";
import { WakeList } from "#modules/orchestration/run/wake-list.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";

/** A watch whose time the test advances. */
class SteppedWatch {
  nowMs = 0;
  readonly looks: (readonly string[])[] = [];
  readonly ended = new Set<string>();
  isBroken = false;
  #resume: (() => void) | undefined;

  readonly watch = new EndWatch({
    look: async (ids) => {
      this.looks.push(ids);
      if (this.isBroken) throw new Error("D1 is away");
      return ids.filter((id) => this.ended.has(id));
    },
    pause: (milliseconds) =>
      new Promise((resolve) => {
        this.#resume = () => {
          this.nowMs += milliseconds;
          resolve();
        };
      }),
    nowMs: () => this.nowMs,
  });

  /** Ends one pause, and lets the work after it run. */
  async step(): Promise<void> {
    this.#resume?.();
    this.#resume = undefined;
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  }

  get isIdle(): boolean {
    return this.#resume === undefined;
  }
}

describe("requests that wait for the ends of instances", () => {
  test.each([1, 10, 1000])(
    "requests that wait for the ends of instances cost one look at a time, be they %d",
    async (count) => {
      const stepped = new SteppedWatch();
      const waits = Array.from({ length: count }, (_, at) => stepped.watch.wait(`i${at}`, 50_000));
      for (let step = 0; step < 5; step++) await stepped.step();
      expect(stepped.looks).toHaveLength(5);
      expect(stepped.looks[4]).toHaveLength(count);
      for (let at = 0; at < count; at++) stepped.ended.add(`i${at}`);
      await stepped.step();
      await Promise.all(waits);
      expect(stepped.looks).toHaveLength(6);
      expect(stepped.isIdle).toBe(true);
    },
  );

  test("requests that wait for the end of an instance leave at once when somebody says that it may have ended, if it has", async () => {
    const stepped = new SteppedWatch();
    let left = 0;
    for (let at = 0; at < 2; at++) void stepped.watch.wait("a", 50_000).then(() => left++);
    await stepped.watch.mayHaveEnded("b");
    await stepped.watch.mayHaveEnded("a");
    expect([stepped.looks, left]).toEqual([[["a"]], 0]);
    stepped.ended.add("a");
    await stepped.watch.mayHaveEnded("a");
    await stepped.step();
    expect([stepped.looks.length, left, stepped.isIdle]).toEqual([2, 2, true]);
  });

  test("requests that wait for the ends of instances leave when their time is over, also while looking fails", async () => {
    const stepped = new SteppedWatch();
    stepped.isBroken = true;
    let hasLeft = false;
    void stepped.watch.wait("a", 1200).then(() => (hasLeft = true));
    await stepped.step();
    await stepped.step();
    expect(hasLeft).toBe(false);
    await stepped.step();
    expect([hasLeft, stepped.isIdle]).toEqual([true, true]);
  });

  test("requests that wait for the ends of instances do not wait where too many do", async () => {
    const stepped = new SteppedWatch();
    for (let at = 0; at < 5000; at++) void stepped.watch.wait("a", 50_000);
    await expect(stepped.watch.wait("b", 50_000)).resolves.toBeUndefined();
  });
});

describe("the list of those who go on at their time", () => {
  const newList = () => new WakeList(new NodeSql());

  test("the list of due times has one time for an instance: the earliest of its latest run", () => {
    const list = newList();
    list.add({ id: "a", run: 1, atMs: 500 });
    list.add({ id: "a", run: 1, atMs: 900 });
    list.add({ id: "b", run: 1, atMs: 700 });
    expect(list.nextMs()).toBe(500);
    list.add({ id: "a", run: 2, atMs: 1000 });
    list.add({ id: "a", run: 1, atMs: 800 });
    expect(list.due(1000, 10)).toEqual([
      { id: "b", run: 1, atMs: 700 },
      { id: "a", run: 2, atMs: 800 },
    ]);
  });

  test("the list of due times gives those that are due, and forgets what was done, but not a time that came meanwhile", () => {
    const list = newList();
    const wake = { id: "a", run: 1, atMs: 500 };
    list.add(wake);
    expect(list.due(499, 10)).toEqual([]);
    list.add({ ...wake, atMs: 200 });
    list.remove(wake);
    expect(list.due(499, 10)).toEqual([{ ...wake, atMs: 200 }]);
    list.remove({ ...wake, atMs: 200 });
    expect(list.nextMs()).toBeUndefined();
  });
});
