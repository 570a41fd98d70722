import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type ExprValue, fromJson } from "#expr";
import { TriggerFilter } from "#modules/orchestration/triggers/matching/filter.ts";
import { PredicateIndex } from "#modules/orchestration/triggers/matching/predicate-index.ts";
import { parseJson } from "#platform/json.ts";
import { fromMillis } from "#platform/time.ts";
import { triggerOf } from "#test/support/orchestration/trigger-of.ts";
import { runsOf } from "#test/support/runner/runs.ts";

const NOW = fromMillis(1_750_000_000_000);
const names = fc.constantFrom("a", "b", "status");
const LITERALS = [
  '"x"',
  '"1"',
  "1",
  "1.0",
  "1.5",
  "-1",
  "true",
  "false",
  "nil",
  "9007199254740993",
];
const literals = fc.constantFrom(...LITERALS);
const paths = fc
  .tuple(
    names,
    fc.array(
      fc.oneof(
        names.map((n) => `.${n}`),
        fc.constantFrom("?.a", '["b"]', "[0]"),
      ),
      { maxLength: 2 },
    ),
  )
  .map(([first, rest]) => `event.${first}${rest.join("")}`);
const tests = fc
  .tuple(paths, fc.constantFrom("==", "==", "==", "!="), literals, fc.boolean())
  .map(([path, operator, literal, isTurned]) =>
    isTurned ? `${literal} ${operator} ${path}` : `${path} ${operator} ${literal}`,
  );
const filters = fc
  .tuple(
    fc.array(tests, { minLength: 1, maxLength: 3 }),
    fc.constantFrom(" && ", " and ", " || "),
    fc.boolean(),
  )
  .map(([parts, operator, isNested]) =>
    isNested ? `(${parts.join(operator)}) && ${parts[0]}` : parts.join(operator),
  );
const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(
      '"x"',
      '"1"',
      "1",
      "1.0",
      "1.50",
      "1e0",
      "-1",
      "true",
      "false",
      "null",
      "9007199254740993",
      "9007199254740992",
      "[]",
      '["x"]',
    ),
    fc
      .dictionary(fc.constantFrom("a", "b", "status"), tie("value") as fc.Arbitrary<string>, {
        maxKeys: 3,
      })
      .map(
        (members) =>
          `{${Object.entries(members)
            .map(([name, text]) => `"${name}":${text}`)
            .join()}}`,
      ),
  ),
})).value;

/** The verdict of each filter about an event: by the index, and by the evaluation of all filters. */
function outcomes(sources: readonly string[], payload: ExprValue) {
  const all = sources.map(
    (filter, key) => new TriggerFilter(triggerOf({ key, id: `${key}`, filter })),
  );
  const judge = (filter: TriggerFilter) => filter.judge(payload, NOW).verdict;
  const plain = all.map(judge);
  const found = new Map(
    new PredicateIndex(all).candidates(payload).map((it) => [it.trigger.key, it]),
  );
  const indexed = all.map((filter) => {
    const candidate = found.get(filter.trigger.key);
    if (candidate === undefined) return { kind: "passes" };
    return candidate.isDecided ? { kind: "fires" } : judge(filter);
  });
  return { plain, indexed };
}

test("an index comes to what the evaluation of all filters comes to, errors among them", () => {
  let fired = 0;
  let failed = 0;
  fc.assert(
    fc.property(fc.array(filters, { minLength: 1, maxLength: 8 }), values, (sources, text) => {
      const { plain, indexed } = outcomes(sources, fromJson(parseJson(text)));
      expect(indexed).toEqual(plain);
      fired += plain.filter(({ kind }) => kind === "fires").length;
      failed += plain.filter(({ kind }) => kind === "fails").length;
    }),
    { numRuns: runsOf(2000) },
  );
  expect(fired).toBeGreaterThan(runsOf(100));
  expect(failed).toBeGreaterThan(runsOf(100));
});

test("an event has as candidates, of a thousand triggers, those that want its value", () => {
  const filter = (number: number) => `event.kind == "k${number}" && event.amount > 5`;
  const all = Array.from(
    { length: 1000 },
    (_, key) => new TriggerFilter(triggerOf({ key, filter: filter(key % 500) })),
  );
  const index = new PredicateIndex(all);

  expect(index.candidates({ kind: "k7", amount: 9 }).map(({ trigger }) => trigger.key)).toEqual([
    7, 507,
  ]);
  expect(index.candidates({ kind: "other" })).toEqual([]);
  expect(index.candidates({})).toEqual([]);
  expect(index.candidates(null)).toHaveLength(1000);
});
