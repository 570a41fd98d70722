import * as fc from "fast-check";
import { expect, test } from "vitest";
import { PairedRows } from "#ledger-engine/storage/moves/paired-rows.ts";

/** Few pairs, so that some are repeated. The last ones are too large for a number that holds both a pair and a row. */
const pair = fc.constantFrom(10_002, 10_003, 20_004, 2 ** 40, 2 ** 52, Number.MAX_SAFE_INTEGER);

const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ action: fc.constant("add" as const), pair }) },
  {
    weight: 2,
    arbitrary: fc.record({ action: fc.constant("some" as const), pairs: fc.uniqueArray(pair) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ action: fc.constantFrom("all" as const, "clear" as const) }),
  },
);

const WIDTH = 2;

test("rows are taken once, by their pairs, and those of a pair in their order", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const rows = new PairedRows<number>(WIDTH);
      let waiting: { pair: number; id: number }[] = [];
      const takeFrom = (pairs: readonly number[] | undefined): number[] => {
        const isTaken = (wanted: number): boolean => pairs === undefined || pairs.includes(wanted);
        const taken = waiting.filter(({ pair }) => isTaken(pair));
        waiting = waiting.filter(({ pair }) => !isTaken(pair));
        return taken
          .toSorted((a, b) => a.pair - b.pair || a.id - b.id)
          .flatMap(({ pair, id }) => [pair, id]);
      };
      for (const [id, { action, ...rest }] of steps.entries()) {
        if ("pair" in rest) {
          rows.begin(rest.pair).push(rest.pair, id);
          waiting.push({ pair: rest.pair, id });
        } else if (action === "clear") {
          rows.clear();
          waiting = [];
        } else {
          const pairs = "pairs" in rest ? rest.pairs : undefined;
          expect(rows.take(pairs)).toEqual(takeFrom(pairs));
        }
        const wanted = "pair" in rest ? rest.pair : 10_002;
        // Pairs are looked up only sometimes, so that some waiting rows have not been looked up.
        if (id % 3 === 0)
          expect(rows.has(wanted)).toBe(waiting.some(({ pair }) => pair === wanted));
      }
      expect(rows.take()).toEqual(takeFrom(undefined));
    }),
  );
});
