import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { MovementRow } from "#modules/payments/initiations/movement-rows.ts";
import { MovementLoop, MOVING_MAX } from "#modules/payments/movements/loop.ts";

/** Movements of a connector, whose provider answers when the test lets it. */
class TestMover {
  due: number[] = [];
  readonly claims: number[] = [];
  readonly answers = new Map<number, () => void>();
  readonly moved: number[] = [];
  under = 0;
  mostUnder = 0;
  answersAtOnce = true;
  readonly loop = new MovementLoop({
    claim: async (limit) => {
      this.claims.push(limit);
      await Promise.resolve();
      return this.due.splice(0, limit).map((key) => ({ key, task: `${key}` }) as MovementRow); // the loop uses only these members
    },
    execute: async ({ key }) => {
      this.mostUnder = Math.max(this.mostUnder, ++this.under);
      await Promise.resolve();
      if (!this.answersAtOnce) await new Promise<void>((done) => this.answers.set(key, done));
      this.moved.push(key);
      this.under--;
    },
  });
}

const keys = (count: number) => Array.from({ length: count }, (_, key) => key);

let mover: TestMover;
beforeEach(() => {
  vi.useFakeTimers();
  mover = new TestMover();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test("forty movements are made one after the other without waiting for any time, never too many at once", async () => {
  mover.due = keys(40);
  await mover.loop.wake();
  expect(mover.moved.toSorted((a, b) => a - b)).toEqual(keys(40));
  expect(mover.mostUnder).toBe(MOVING_MAX);
  expect(vi.getTimerCount()).toBe(0);
});

test("a movement that comes while others are under way is made at once if there is a place", async () => {
  mover.answersAtOnce = false;
  mover.due = [1];
  const done = mover.loop.wake();
  await vi.advanceTimersByTimeAsync(1);
  mover.due = [2];
  void mover.loop.wake();
  await vi.advanceTimersByTimeAsync(1);
  expect([...mover.answers.keys()]).toEqual([1, 2]);
  for (const answer of mover.answers.values()) answer();
  await done;
  expect(mover.moved).toEqual([1, 2]);
});

test("a movement that becomes due while others are under way is found within a second", async () => {
  mover.answersAtOnce = false;
  mover.due = [1];
  void mover.loop.wake();
  await vi.advanceTimersByTimeAsync(10);
  mover.due = [2];
  await vi.advanceTimersByTimeAsync(1000);
  expect([...mover.answers.keys()]).toEqual([1, 2]);
});

test("a wake that comes with the last look is not lost", async () => {
  const done = mover.loop.wake();
  await Promise.resolve(); // lets the loop look for movements
  mover.due = [1];
  void mover.loop.wake();
  await done;
  expect(mover.moved).toEqual([1]);
});

describe("a provider that hangs", () => {
  test("a provider that hangs gives its places back after its time, and is named in the log by the movement", async () => {
    const logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
    mover.answersAtOnce = false;
    mover.due = keys(MOVING_MAX + 1);
    const done = mover.loop.wake();
    await vi.advanceTimersByTimeAsync(44_000);
    expect(mover.answers.size).toBe(MOVING_MAX);
    mover.answersAtOnce = true;
    await vi.advanceTimersByTimeAsync(1000);
    await done;
    expect(mover.moved).toEqual([MOVING_MAX]);
    expect(logged).toHaveBeenCalledTimes(MOVING_MAX);
    expect(logged).toHaveBeenCalledWith(expect.stringContaining('"movement":0'));
  });

  test("a provider that hangs holds up no other connector", async () => {
    mover.answersAtOnce = false;
    mover.due = keys(MOVING_MAX);
    void mover.loop.wake();
    const other = new TestMover();
    other.due = keys(10);
    await other.loop.wake();
    expect(other.moved).toHaveLength(10);
  });
});

test("the database does not answer: the caller hears of it, and the next call goes on", async () => {
  const claim = vi.fn<() => Promise<MovementRow[]>>();
  claim.mockRejectedValueOnce(new Error("D1 is away")).mockResolvedValue([]);
  const loop = new MovementLoop({ claim, execute: async () => undefined });
  await expect(loop.wake()).rejects.toThrow("D1 is away");
  await loop.wake();
  expect(claim).toHaveBeenCalledTimes(2);
});
