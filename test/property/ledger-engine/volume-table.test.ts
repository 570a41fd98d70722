import * as fc from "fast-check";
import { expect, test } from "vitest";
import { VolumeTable } from "#ledger-engine/storage/moves/volume-table.ts";

/** Accounts and assets, up to the largest distinguished numbers, of which many are repeated. */
const account = fc.oneof(fc.nat({ max: 40 }), fc.constantFrom(2 ** 32, 2 ** 32 + 1, 2 ** 33 - 1));
const asset = fc.constantFrom(1, 2, 3, 9999);
const step = fc.record({
  /** The number of pairs that a page moves, new pairs or known ones. */
  room: fc.integer({ min: 1, max: 30 }),
  moves: fc.array(fc.tuple(account, asset, fc.bigInt({ min: 0n, max: 2n ** 57n })), {
    maxLength: 30,
  }),
});

test("a table has the volumes of a map, until there is no room for more", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), fc.constantFrom(8, 64, 512), (steps, slots) => {
      const table = new VolumeTable(slots);
      const map = new Map<string, { input: bigint; output: bigint }>();
      for (const { room, moves } of steps) {
        const isKept = table.reserve(room);
        expect(isKept).toBe(map.size + room <= slots * 0.8);
        if (!isKept) map.clear();
        for (const [index, [of, unit, amount]] of moves.slice(0, room).entries()) {
          const name = `${of} ${unit}`;
          const known = map.get(name);
          const found = table.find(of, unit);
          expect(found !== -1).toBe(known !== undefined);
          const place = found === -1 ? table.add(of, unit) : found;
          const volumes = known ?? { input: 0n, output: 0n };
          map.set(name, volumes);
          if (index % 2 === 0) {
            table.receive(place, amount);
            volumes.input += amount;
          } else {
            table.send(place, amount);
            volumes.output += amount;
          }
        }
        for (const [name, { input, output }] of map) {
          const [of = 0, unit = 0] = name.split(" ").map(Number);
          const place = table.find(of, unit);
          expect([table.input(place), table.output(place)]).toEqual([input, output]);
        }
      }
    }),
  );
});

test("pairs of accounts that follow one another are found after few steps", () => {
  const table = new VolumeTable();
  table.reserve(200_000);
  const startMs = performance.now();
  for (let id = 1; id <= 100_000; id++) {
    table.add(id, 1);
    table.add(id, 2);
  }
  // A table with runs of taken slots would need minutes.
  expect(performance.now() - startMs).toBeLessThan(5000);
  expect(table.find(100_000, 2)).not.toBe(-1);
  expect(table.find(100_001, 1)).toBe(-1);
});
