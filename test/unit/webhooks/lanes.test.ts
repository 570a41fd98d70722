import { describe, expect, test } from "vitest";
import { GroupWriter } from "#modules/webhooks/group-writer.ts";
import { runFairly } from "#modules/webhooks/lanes.ts";

interface Job {
  readonly key: string;
  readonly id: number;
}

const jobsOf = (key: string, count: number): Job[] =>
  Array.from({ length: count }, (_, id) => ({ key, id }));

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("lanes", () => {
  test("run every job once, at most so many at a time", async () => {
    const done: Job[] = [];
    let underWay = 0;
    let most = 0;
    const left = await runFairly(jobsOf("a", 50), {
      lanes: 4,
      keyOf: ({ key }) => key,
      mayStart: () => true,
      run: async (job) => {
        most = Math.max(most, ++underWay);
        await settled();
        underWay--;
        done.push(job);
      },
    });
    expect(left).toEqual([]);
    expect(new Set(done.map(({ id }) => id)).size).toBe(50);
    expect(most).toBe(4);
  });

  test("leave room for others if the jobs of a key hang", async () => {
    const { promise: hang, resolve: release } = Promise.withResolvers<void>();
    const done: Job[] = [];
    const running = runFairly([...jobsOf("slow", 20), ...jobsOf("fast", 20)], {
      lanes: 4,
      keyOf: ({ key }) => key,
      mayStart: () => true,
      run: async (job) => {
        await (job.key === "slow" ? hang : settled());
        done.push(job);
      },
    });
    while (done.length < 20) await settled();
    expect(done.every(({ key }) => key === "fast")).toBe(true);
    release();
    await running;
    expect(done).toHaveLength(40);
  });

  test("return what was not started in time", async () => {
    const done: Job[] = [];
    const left = await runFairly([...jobsOf("a", 5), ...jobsOf("b", 5)], {
      lanes: 1,
      keyOf: ({ key }) => key,
      mayStart: () => done.length < 3,
      run: async (job) => {
        done.push(job);
      },
    });
    expect(done).toHaveLength(3);
    expect(left).toHaveLength(7);
    expect([...done, ...left]).toHaveLength(10);
  });

  test("have nothing to do without jobs", async () => {
    const options = { lanes: 3, keyOf: () => "", mayStart: () => true, run: async () => undefined };
    expect(await runFairly([], options)).toEqual([]);
  });
});

describe("a group writer", () => {
  /** A writer that records its groups. Groups that begin with a negative number fail. */
  const writerOf = (lingerMs: number) => {
    const groups: number[][] = [];
    const failed: number[][] = [];
    const writer = new GroupWriter<number>({
      write: async (group) => {
        await settled();
        if ((group[0] ?? 0) < 0) throw new Error("no");
        groups.push([...group]);
      },
      onFailure: (_error, group) => failed.push([...group]),
      lingerMs,
    });
    return { writer, groups, failed };
  };

  test("gathers what is added within a while, and during a write", async () => {
    const { writer, groups } = writerOf(1);
    for (const item of [1, 2, 3]) writer.add(item);
    while (groups.length === 0) await settled();
    writer.add(4);
    await writer.end();
    expect(groups).toEqual([[1, 2, 3], [4]]);
  });

  test("does not wait at the end", async () => {
    const { writer, groups } = writerOf(2 ** 30);
    writer.add(1);
    await writer.end();
    expect(groups).toEqual([[1]]);
  });

  test("goes on after a group that could not be written", async () => {
    const { writer, groups, failed } = writerOf(1);
    writer.add(-1);
    while (failed.length === 0) await settled();
    writer.add(2);
    await writer.end();
    expect(failed).toEqual([[-1]]);
    expect(groups).toEqual([[2]]);
  });

  test("ends at once when nothing was added", async () => {
    const { writer, groups } = writerOf(2 ** 30);
    await writer.end();
    expect(groups).toEqual([]);
  });
});
