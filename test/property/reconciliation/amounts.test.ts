import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  amountsAgree,
  leftRange,
  rightRange,
} from "#modules/reconciliation/core/matching/amounts.ts";
import {
  calendarReach,
  dateOf,
  dayOf,
  distanceInDays,
} from "#modules/reconciliation/core/matching/days.ts";
import type { AmountComparison } from "#modules/reconciliation/core/matching/pass.ts";
import { subsetSum } from "#modules/reconciliation/core/matching/subset-sum.ts";
import { runsOf } from "#test/support/runner/runs.ts";

const amounts = fc.bigInt({ min: -400n, max: 400n });
const comparisons: fc.Arbitrary<AmountComparison> = fc.oneof(
  fc.constant({ kind: "equal" as const }),
  fc.record({
    kind: fc.constant("tolerance" as const),
    absolute: fc.bigInt({ min: 0n, max: 20n }),
    millionths: fc.bigInt({ min: 0n, max: 500_000n }),
  }),
  fc.record({
    kind: fc.constant("fee" as const),
    netSide: fc.constantFrom("left" as const, "right" as const),
    fixed: fc.bigInt({ min: 0n, max: 40n }),
    millionths: fc.bigInt({ min: 0n, max: 500_000n }),
  }),
);

describe("amounts that agree", () => {
  test("are in the ranges in which their partners are looked for", () => {
    let agreed = 0;
    fc.assert(
      fc.property(comparisons, amounts, (comparison, one) => {
        for (let other = -900n; other <= 900n; other += 1n) {
          if (amountsAgree(comparison, one, other)) {
            agreed += 1;
            const { least, greatest } = rightRange(comparison, one);
            expect(least <= other && other <= greatest).toBe(true);
          }
          if (amountsAgree(comparison, other, one)) {
            const { least, greatest } = leftRange(comparison, one);
            expect(least <= other && other <= greatest).toBe(true);
          }
        }
      }),
      { numRuns: runsOf(300) },
    );
    expect(agreed).toBeGreaterThan(0);
  });

  test.each([
    { name: "a fee of 1.4 % and 25 cents", gross: 10_000n, net: 9_835n, isAgreed: true },
    { name: "a fee whose part of a cent is dropped", gross: 1_050n, net: 1_011n, isAgreed: true },
    { name: "a fee whose part of a cent is a cent", gross: 1_050n, net: 1_010n, isAgreed: true },
    { name: "another fee", gross: 10_000n, net: 9_834n, isAgreed: false },
    { name: "a refund, whose fee is kept", gross: -10_000n, net: -10_165n, isAgreed: true },
  ])("$name", ({ gross, net, isAgreed }) => {
    const fee = { kind: "fee", fixed: 25n, millionths: 14_000n } as const;
    expect(amountsAgree({ ...fee, netSide: "right" }, gross, net)).toBe(isAgreed);
    expect(amountsAgree({ ...fee, netSide: "left" }, net, gross)).toBe(isAgreed);
  });
});

describe("the sum of a subset", () => {
  test("is found where one subset has it, as by trying all of them", () => {
    const seen = { none: 0, one: 0, several: 0, exhausted: 0 };
    fc.assert(
      fc.property(
        fc.array(fc.bigInt({ min: -9n, max: 30n }), { maxLength: 9 }),
        fc.bigInt({ min: -10n, max: 60n }),
        fc.integer({ min: 1, max: 9 }),
        (given, wanted, sizeMax) => {
          const found = subsetSum(given, {
            sizeMax,
            workMax: 100_000,
            fits: (sum) => sum === wanted,
            least: wanted,
            greatest: wanted,
          });
          seen[found.kind] += 1;
          const all = multisetsWithSum(given, wanted, sizeMax);
          expect(found.kind).toBe(all.size === 0 ? "none" : all.size === 1 ? "one" : "several");
          if (found.kind !== "one" && found.kind !== "several") return;
          const chosen = found.indexes.map((index) => given[index] ?? 0n);
          expect(chosen.reduce((sum, amount) => sum + amount, 0n)).toBe(wanted);
          expect(new Set(found.indexes).size).toBe(found.indexes.length);
        },
      ),
      { numRuns: runsOf(2000) },
    );
    expect(Math.min(seen.none, seen.one, seen.several)).toBeGreaterThan(0);
  });

  test("is given up after the limit of work", () => {
    const given = Array.from({ length: 40 }, (_, index) => BigInt(1000 + index * index));
    const found = subsetSum(given, {
      sizeMax: 20,
      workMax: 5_000,
      fits: () => false,
      least: 22_001n,
      greatest: 22_001n,
    });
    expect(found.kind).toBe("exhausted");
    expect(found.work).toBeLessThan(5_000 + given.length);
  });
});

/** The amounts of all subsets with a sum, each written in ascending order. */
function multisetsWithSum(given: readonly bigint[], wanted: bigint, sizeMax: number): Set<string> {
  const found = new Set<string>();
  for (let bits = 1; bits < 2 ** given.length; bits += 1) {
    const chosen = given.filter((_, index) => (bits >> index) % 2 === 1);
    if (chosen.length > sizeMax) continue;
    if (chosen.reduce((sum, amount) => sum + amount, 0n) !== wanted) continue;
    found.add(chosen.toSorted((one, other) => Number(one - other)).join(" "));
  }
  return found;
}

describe("days", () => {
  test("of business are those of a calendar, and a weekend is the Friday before it", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -10_000, max: 40_000 }),
        fc.integer({ min: 0, max: 40 }),
        (day, gap) => {
          let counted = 0;
          for (let next = day + 1; next <= day + gap; next += 1)
            if (!["Sat", "Sun"].includes(weekdayOf(next))) counted += 1;
          expect(distanceInDays(day, day + gap, "businessDays")).toBe(counted);
          expect(distanceInDays(day + gap, day, "businessDays")).toBe(counted);
          expect(gap).toBeLessThanOrEqual(calendarReach(counted, "businessDays"));
          expect(distanceInDays(day, day + gap, "days")).toBe(gap);
        },
      ),
    );
  });

  test("have dates, and a date that does not exist has no day", () => {
    expect(dayOf("1970-01-01")).toBe(0);
    expect(dayOf("2026-02-28")).toBe(20_512);
    expect(dateOf(20_512)).toBe("2026-02-28");
    expect(dayOf("2026-02-29")).toBeUndefined();
  });
});

const weekdayOf = (day: number): string => new Date(day * 86_400_000).toUTCString().slice(0, 3);
