import * as fc from "fast-check";
import { expect, test } from "vitest";
import { BoundedMap } from "#ledger-engine/storage/bounded-map.ts";

const SIZE_MAX = 3;

type Step = readonly ["get" | "set" | "trim" | "clear", key: number];

/** A model of the map: a plain map that `trim` cuts to its newest entries. */
class Model {
  readonly entries = new Map<number, string>();

  run([action, key]: Step, value: string): string | undefined {
    if (action === "get") return this.entries.get(key);
    if (action === "set") this.entries.set(key, value);
    if (action === "clear") this.entries.clear();
    if (action === "trim") {
      for (const oldest of [...this.entries.keys()].slice(0, -SIZE_MAX))
        this.entries.delete(oldest);
    }
    return undefined;
  }
}

function run(map: BoundedMap<number, string>, [action, key]: Step, value: string) {
  if (action === "get") return map.get(key);
  if (action === "set") map.set(key, value);
  if (action === "trim") map.trim();
  if (action === "clear") map.clear();
  return undefined;
}

const STEP: fc.Arbitrary<Step> = fc.tuple(
  fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom("get" as const, "set" as const) },
    { weight: 2, arbitrary: fc.constant("trim" as const) },
    { weight: 1, arbitrary: fc.constant("clear" as const) },
  ),
  fc.integer({ min: 0, max: 6 }),
);

test("a bounded map gives what was set last, and drops the oldest entries first", () => {
  fc.assert(
    fc.property(fc.array(STEP, { maxLength: 60 }), (steps) => {
      const map = new BoundedMap<number, string>(SIZE_MAX);
      const model = new Model();
      for (const [index, step] of steps.entries()) {
        const value = `value ${index}`;
        expect(run(map, step, value)).toBe(model.run(step, value));
        expect(map.size).toBe(model.entries.size);
      }
    }),
  );
});
