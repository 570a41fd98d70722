import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  closeByAsset,
  CloseSums,
  OPEN_CLASSES,
  type SummedLine,
} from "#modules/reconciliation/core/closing/close-report.ts";

const FROM = 100;

const lines: fc.Arbitrary<SummedLine[]> = fc.array(
  fc.record({
    side: fc.constantFrom("left" as const, "right" as const),
    asset: fc.constantFrom("EUR/2", "JPY"),
    day: fc.integer({ min: 90, max: 110 }),
    amount: fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
    class: fc.option(fc.constantFrom(...OPEN_CLASSES), { nil: undefined }),
  }),
  { maxLength: 60 },
);

const sum = (items: readonly { readonly amount: bigint }[]) =>
  items.reduce((total, { amount }) => total + amount, 0n);

test("a close adds up: on each side, and between the sides", () => {
  fc.assert(
    fc.property(lines, (all) => {
      const sums = new CloseSums();
      for (const line of all) sums.addLine(line, FROM);
      for (const { asset, left, right, ...differences } of closeByAsset(sums.all())) {
        for (const [side, close] of [
          ["left", left],
          ["right", right],
        ] as const) {
          const mine = all.filter((line) => line.side === side && line.asset === asset);
          const { opening, matched, open, closing, outstanding } = close;
          expect(closing).toEqual({ lines: mine.length, amount: sum(mine) });
          expect(opening.amount + matched.amount + sum(open)).toBe(closing.amount);
          expect(opening.amount).toBe(sum(mine.filter(({ day }) => day < FROM)));
          expect(sum(outstanding)).toBe(sum(mine.filter((line) => line.class !== undefined)));
        }
        expect(differences.difference).toBe(left.closing.amount - right.closing.amount);
        expect(differences.outstandingDifference + differences.matchedDifference).toBe(
          differences.difference,
        );
      }
    }),
  );
});

test("sums of parts, in any order, are the sums of the whole", () => {
  fc.assert(
    fc.property(lines, fc.nat(60), (all, cut) => {
      const whole = new CloseSums();
      for (const line of all) whole.addLine(line, FROM);
      const together = new CloseSums();
      for (const part of [all.slice(cut), all.slice(0, cut)]) {
        const sums = new CloseSums();
        for (const line of part) sums.addLine(line, FROM);
        for (const each of sums.all()) together.add(each);
      }
      expect(closeByAsset(together.all())).toEqual(closeByAsset(whole.all()));
    }),
  );
});
