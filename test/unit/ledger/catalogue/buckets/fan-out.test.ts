import { afterEach, describe, expect, test, vi } from "vitest";
import { fanOut, type WorkRow } from "#modules/ledger/catalogue/buckets/fan-out.ts";

const MINUTE = 60_000;

/** Rows of which a work is recorded: what is done is no longer listed. */
class Rows {
  readonly left: Set<number>;
  readonly calls: number[] = [];
  /** The work on one row. */
  run: (row: WorkRow) => Promise<void> = async () => undefined;

  constructor(count: number) {
    this.left = new Set(Array.from({ length: count }, (_, index) => index + 1));
  }

  work(limits: { rowsMax?: number; untilMs?: number } = {}) {
    return fanOut<WorkRow>(
      {
        list: async (after = 0, limit) =>
          [...this.left]
            .filter((id) => id > after)
            .slice(0, limit)
            .map((id) => ({ id, name: `l${id}` })),
        run: async (row) => {
          this.calls.push(row.id);
          await this.run(row);
        },
        markDone: async (rows) => {
          for (const { id } of rows) this.left.delete(id);
        },
      },
      { rowsMax: 1000, untilMs: Date.now() + MINUTE, ...limits },
    );
  }
}

afterEach(() => {
  vi.useRealTimers();
});

describe("a work that is recorded row by row", () => {
  test.each([0, 1, 99, 100, 101, 350])("is done once for each of %d rows", async (count) => {
    const rows = new Rows(count);
    expect(await rows.work()).toEqual({ done: count, failed: 0, isLeft: false });
    expect(rows.left.size).toBe(0);
    expect(new Set(rows.calls).size).toBe(count);
    expect(rows.calls).toHaveLength(count);
  });

  test("goes on in the next invocation when it was too much for one", async () => {
    const rows = new Rows(350);
    expect(await rows.work({ rowsMax: 200 })).toEqual({ done: 200, failed: 0, isLeft: true });
    expect(await rows.work({ rowsMax: 200 })).toEqual({ done: 150, failed: 0, isLeft: false });
    expect(rows.calls).toHaveLength(350);
  });

  test("is not held up by rows that fail, which are left for the next time", async () => {
    const rows = new Rows(250);
    rows.run = async ({ id }) => {
      if (id % 100 === 7) throw new Error("the object is down");
    };
    expect(await rows.work()).toEqual({ done: 247, failed: 3, isLeft: true });
    expect([...rows.left]).toEqual([7, 107, 207]);
    rows.run = async () => undefined;
    expect(await rows.work()).toEqual({ done: 3, failed: 0, isLeft: false });
  });

  test("keeps what was done when it is cut off", async () => {
    const rows = new Rows(250);
    const markDone = vi.spyOn(rows.left, "delete").mockImplementation((id) => {
      if (id > 100) throw new Error("killed");
      return Set.prototype.delete.call(rows.left, id);
    });
    await expect(rows.work()).rejects.toThrow("killed");
    markDone.mockRestore();
    expect(rows.left.size).toBe(150);
  });

  test("waits for no row beyond its time, and begins no other", async () => {
    vi.useFakeTimers();
    const rows = new Rows(250);
    rows.run = ({ id }) => (id === 120 ? new Promise(() => undefined) : Promise.resolve());
    const result = rows.work({ untilMs: Date.now() + 1000 });
    await vi.advanceTimersByTimeAsync(1000);
    expect(await result).toEqual({ done: 199, failed: 1, isLeft: true });
    expect([...rows.left].slice(0, 2)).toEqual([120, 201]);
  });

  test("is not held up by rows that hang, either", async () => {
    vi.useFakeTimers();
    const rows = new Rows(350);
    rows.run = ({ id }) => (id === 7 ? new Promise(() => undefined) : Promise.resolve());
    const result = rows.work();
    await vi.advanceTimersByTimeAsync(3000);
    expect(await result).toEqual({ done: 349, failed: 1, isLeft: true });
    expect([...rows.left]).toEqual([7]);
  });

  test("is many rows at once", async () => {
    const rows = new Rows(100);
    let [underWay, most] = [0, 0];
    rows.run = async () => {
      underWay++;
      most = Math.max(most, underWay);
      await Promise.resolve();
      underWay--;
    };
    await rows.work();
    expect(most).toBe(32);
  });
});
