import * as fc from "fast-check";
import { expect, test } from "vitest";
import { NameCache } from "#ledger-engine/storage/names/name-cache.ts";

const PLACES = 512;
const LENGTH_MAX = 40;

type Step = readonly ["get" | "set" | "trim" | "forget" | "clear", id: number];

/** Ids of which several share a place, in the first and in the last part. */
const ID = fc.constantFrom(0, 1, 2, 511, 512, 513, 1023, 1024, 1_000_000 * PLACES + 1);
const STEP: fc.Arbitrary<Step> = fc.tuple(
  fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom("get" as const, "set" as const) },
    { weight: 2, arbitrary: fc.constantFrom("trim" as const, "forget" as const) },
    { weight: 1, arbitrary: fc.constant("clear" as const) },
  ),
  ID,
);

test("kept names are the right ones, and those that were set last are all there", () => {
  fc.assert(
    fc.property(fc.array(STEP, { maxLength: 60 }), (steps) => {
      const names = new NameCache({ places: PLACES, lengthMax: LENGTH_MAX });
      const all = new Map<number, string>();
      const last = new Map<number, string>();
      for (const [action, id] of steps) {
        const name = `the name of ${id}`;
        if (action === "set") {
          names.set(id, name);
          all.set(id, name);
          last.set(id, name);
          expect(names.has(id)).toBe(true);
        }
        if (action === "trim") names.trim();
        if (action === "forget") names.forgetDisplaced();
        if (action === "clear") {
          names.clear();
          all.clear();
        }
        if (action !== "get" && action !== "set") last.clear();
        for (const [known, text] of last) expect(names.get(known)).toBe(text);
        const found = names.get(id);
        if (found !== undefined) expect(found).toBe(all.get(id));
        if (names.has(id)) expect(found).toBe(name);
      }
    }),
  );
});

test("kept names are dropped in parts where they are too long together", () => {
  const names = new NameCache({ places: PLACES, lengthMax: 10 });
  names.set(1, "12345");
  names.set(257, "1234567");
  names.trim();
  expect([names.get(1), names.get(257)]).toEqual([undefined, "1234567"]);
  names.set(1, "123");
  names.trim();
  expect([names.get(1), names.get(257)]).toEqual(["123", "1234567"]);
  names.set(1, "1234");
  names.trim();
  expect([names.get(1), names.get(257)]).toEqual(["1234", undefined]);
});
