import { describe, expect, test } from "vitest";
import { Queue } from "#numscript/interpreter/queue.ts";

describe("the queue", () => {
  const piece = (account: string, amount: bigint, asset = "C") => ({ account, asset, amount });

  test("the queue of the interpreter's funds joins adjacent pieces of one account and asset when they are taken", () => {
    const queue = new Queue();
    for (const next of [piece("a", 1n), piece("a", 2n), piece("a", 3n, "C_RED"), piece("b", 4n)]) {
      queue.push(next);
    }

    expect(queue.take(2n)).toEqual(piece("a", 2n));
    expect(queue.take(9n)).toEqual(piece("a", 1n));
    expect(queue.take(9n)).toEqual(piece("a", 3n, "C_RED"));
    expect(queue.isEmpty).toBe(false);
    expect(queue.take(4n)).toEqual(piece("b", 4n));
    expect(queue.isEmpty).toBe(true);
    expect(queue.take(1n)).toBeUndefined();
  });

  test("the queue of the interpreter's funds undoes what was pushed since a mark, and nothing before it", () => {
    const queue = new Queue();
    queue.push(piece("a", 1n));
    const mark = queue.mark;
    queue.push(piece("a", 2n));
    queue.push(piece("b", 3n));

    expect(queue.undo(mark)).toEqual([piece("a", 2n), piece("b", 3n)]);
    expect(queue.take(9n)).toEqual(piece("a", 1n));
    expect(queue.isEmpty).toBe(true);
  });

  test("the queue of the interpreter's funds gives each of many pieces once", () => {
    const queue = new Queue();
    for (let index = 0; index < 200_000; index++) queue.push(piece(index % 2 ? "a" : "b", 1n));

    let taken = 0n;
    for (let next = queue.take(1n); next !== undefined; next = queue.take(1n)) taken += next.amount;

    expect(taken).toBe(200_000n);
  });
});
