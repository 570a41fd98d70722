import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  AGE_BUCKETS,
  bucketOf,
  completeness,
  openItems,
  type AccountMovement,
} from "#modules/reconciliation/core/clearing/open-items.ts";
import { fromMillis } from "#platform/time.ts";

const movements = fc
  .array(
    fc.record({
      amount: fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
      item: fc.option(fc.constantFrom("a", "b", "c"), { nil: undefined }),
    }),
    { maxLength: 40 },
  )
  .map((all): AccountMovement[] =>
    all.map(({ amount, item }, index) => ({
      amount,
      item,
      transactionID: BigInt(all.length - index),
      reference: undefined,
      timestamp: fromMillis(1_700_000_000_000 - index),
    })),
  );

const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);

test("open items add up to the balance, and none is open by more than it moved", () => {
  fc.assert(
    fc.property(movements, (all) => {
      const open = openItems(all);
      expect(sum(open.map((item) => item.open))).toBe(sum(all.map(({ amount }) => amount)));
      for (const item of open) {
        if (item.item !== undefined) continue;
        expect(item.open > 0n).toBe(item.amount > 0n);
        expect(item.open > 0n ? item.amount >= item.open : item.amount <= item.open).toBe(true);
      }
    }),
  );
});

test("open items without a name are the newest in the direction of the balance", () => {
  fc.assert(
    fc.property(movements, (all) => {
      const unnamed = all.filter(({ item }) => item === undefined);
      const open = openItems(unnamed);
      const direction = sum(unnamed.map(({ amount }) => amount)) > 0n;
      const newest = unnamed.filter(({ amount }) => amount !== 0n && amount > 0n === direction);
      expect(open.map(({ transactionID }) => transactionID)).toEqual(
        newest.slice(0, open.length).map(({ transactionID }) => transactionID),
      );
      // Only the oldest open one may be cleared in part.
      for (const item of open.slice(0, -1)) expect(item.open).toBe(item.amount);
    }),
  );
});

test("an item is open since its first movement, by the sum of its movements", () => {
  fc.assert(
    fc.property(movements, (all) => {
      const open = new Map(openItems(all).map((item) => [item.item, item]));
      for (const name of ["a", "b", "c"]) {
        const of = all.filter(({ item }) => item === name);
        expect(open.get(name)?.open ?? 0n).toBe(sum(of.map(({ amount }) => amount)));
        const item = open.get(name);
        if (item !== undefined) expect(item.transactionID).toBe(of.at(-1)?.transactionID);
      }
    }),
  );
});

test("ages have one bucket each, and a share is complete only when nothing is left", () => {
  for (let days = 0; days < 200; days++) {
    const { from, to = Infinity } = AGE_BUCKETS[bucketOf(days)] ?? { from: -1 };
    expect(days >= from && days <= to).toBe(true);
  }
  expect(completeness({ cleared: 0n, total: 0n })).toBe("100.00");
  expect(completeness({ cleared: 99_999_999n, total: 100_000_000n })).toBe("99.99");
  expect(completeness({ cleared: 1n, total: 3n })).toBe("33.33");
  expect(completeness({ cleared: 5n, total: 100n })).toBe("5.00");
});
