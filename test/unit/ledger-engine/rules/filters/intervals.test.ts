import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  ALL,
  complement,
  intersection,
  interval,
  type Intervals,
  NONE,
  union,
} from "#ledger-engine/rules/filters/intervals.ts";

const SIZE = 12;
const numbers = Array.from({ length: SIZE }, (_, index) => index);
const has = (set: Intervals, value: number): boolean =>
  set.some(({ from, to }) => from <= value && value <= to);
const membersOf = (set: Intervals): number[] => numbers.filter((value) => has(set, value));

/** Sets of small integers, some of which have no upper or lower end. */
const sets: fc.Arbitrary<Intervals> = fc
  .tuple(fc.array(fc.tuple(fc.nat(SIZE), fc.nat(SIZE)), { maxLength: 4 }), fc.boolean())
  .map(([pairs, isOpen]) => {
    const set = pairs.reduce((sum: Intervals, [from, to]) => union(sum, interval(from, to)), NONE);
    return isOpen ? complement(set) : set;
  });

describe("intervals", () => {
  test("intervals contain what the sets contain that they stand for", () => {
    const property = fc.property(sets, sets, (a, b) => {
      const [left, right] = [membersOf(a), membersOf(b)];
      expect(membersOf(intersection(a, b))).toEqual(left.filter((value) => right.includes(value)));
      expect(membersOf(union(a, b))).toEqual(
        numbers.filter((value) => left.includes(value) || right.includes(value)),
      );
      expect(membersOf(complement(a))).toEqual(numbers.filter((value) => !left.includes(value)));
      expect(complement(complement(a))).toEqual(a);
    });
    fc.assert(property);
  });

  test("intervals are apart from each other and in order", () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        for (const set of [union(a, b), intersection(a, b), complement(a)]) {
          for (const [index, { from, to }] of set.entries()) {
            expect(from).toBeLessThanOrEqual(to);
            const before = set[index - 1];
            if (before !== undefined) expect(from).toBeGreaterThan(before.to + 1);
          }
        }
      }),
    );
  });

  test("intervals may be empty, and have no ends", () => {
    expect(interval(2, 1)).toEqual(NONE);
    expect(complement(NONE)).toEqual(ALL);
    expect(complement(ALL)).toEqual(NONE);
    const beyond = interval(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
    expect(intersection(beyond, interval(0, Number.MAX_SAFE_INTEGER))).toEqual(NONE);
  });
});
