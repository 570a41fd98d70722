import { describe, expect, test } from "vitest";
import { SliceQueue } from "#modules/ledger/answers/slice-queue.ts";
import { SliceSizer } from "#modules/ledger/answers/slice-sizer.ts";

const sizer = () => new SliceSizer({ first: 10, least: 1, most: 100 });

/** A queue whose turns the test begins, and whose clock the test sets. */
function controlled() {
  const pauses: (() => void)[] = [];
  const clock = { nowMs: 0 };
  const queue = new SliceQueue({
    nowMs: () => clock.nowMs,
    pause: () => new Promise((resolve) => pauses.push(resolve)),
  });
  const turn = async (): Promise<void> => {
    pauses.shift()?.();
    await settled();
  };
  return { queue, clock, turn, pauses };
}

/** Resolves when all pending work that waits for nothing else has run. */
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

describe("slices of heavy reads", () => {
  test("slices of heavy reads run at once where no other is under way, and else one in a turn, in order", async () => {
    const { queue, turn } = controlled();
    const ran: string[] = [];
    const slice = (name: string) => () => ({ value: ran.push(name), done: 1 });
    const results = ["a", "b", "c"].map((name) => queue.run(sizer(), slice(name)));
    expect(ran).toEqual(["a"]);
    await turn();
    expect(ran).toEqual(["a", "b"]);
    await turn();
    expect(await Promise.all(results)).toEqual([1, 2, 3]);
    await turn();
    void queue.run(sizer(), slice("d"));
    expect(ran).toEqual(["a", "b", "c", "d"]);
  });

  test("slices of heavy reads that go on alternate, whoever came first", async () => {
    const { queue, turn } = controlled();
    const ran: string[] = [];
    const read = async (name: string): Promise<void> => {
      for (let part = 1; part <= 3; part++) {
        await queue.run(sizer(), () => ({ value: ran.push(`${name}${part}`), done: 1 }));
      }
    };
    const reads = ["a", "b", "c"].map(read);
    for (let turns = 0; turns < 9; turns++) await turn();
    await Promise.all(reads);
    expect(ran).toEqual(["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"]);
  });

  test("slices of heavy reads give what they have read before the next turn begins", async () => {
    const { queue, pauses } = controlled();
    expect(await queue.run(sizer(), () => ({ value: "read", done: 1 }))).toBe("read");
    expect(pauses).toHaveLength(1);
  });

  test("slices of heavy reads that fail do so alone, and say nothing of the size", async () => {
    const { queue, clock, turn } = controlled();
    const own = sizer();
    const bad = queue.run(own, () => {
      clock.nowMs += 500;
      throw new Error("a bug");
    });
    const good = queue.run(own, (size) => ({ value: size, done: size }));
    await expect(bad).rejects.toThrow("a bug");
    await turn();
    expect(await good).toBe(10);
  });

  test("slices of heavy reads are sized by the time that they took, or until the next where the clock stands still", async () => {
    for (const standsStill of [false, true]) {
      const { queue, clock, turn } = controlled();
      const own = sizer();
      const long = queue.run(own, (size) => {
        if (!standsStill) clock.nowMs += 20;
        return { value: size, done: size };
      });
      if (standsStill) clock.nowMs += 20;
      await turn();
      expect([await long, own.size]).toEqual([10, 3]);
    }
  });

  test("slices of heavy reads are not held against for what others did between two turns, where the clock runs", async () => {
    const { queue, clock, turn } = controlled();
    const own = sizer();
    void queue.run(own, (size) => {
      clock.nowMs += 5;
      return { value: undefined, done: size };
    });
    clock.nowMs += 1000;
    await turn();
    expect(own.size).toBe(10);
  });
});

describe("the size of a slice", () => {
  test("the size of a slice grows while slices are short, shrinks when they are long, and stays within its bounds", () => {
    const own = new SliceSizer({ first: 10, least: 4, most: 100 });
    const sizes = [0, 2, 2, 7, 20, 100, 100, 1000].map((ms) => {
      own.note(own.size, ms);
      return own.size;
    });
    expect(sizes).toEqual([40, 100, 100, 85, 25, 6, 4, 4]);
  });

  test("the size of a slice does not grow by slices that had no more to do, but shrinks by them", () => {
    const own = sizer();
    own.note(3, 1);
    expect(own.size).toBe(10);
    own.note(5, 20);
    expect(own.size).toBe(2);
    own.note(0, 1000);
    expect(own.size).toBe(2);
  });

  test("the size of a slice withstands a clock that steps back", () => {
    const own = sizer();
    own.note(10, -5000);
    expect(own.size).toBe(40);
  });
});
