import { describe, expect, test } from "vitest";
import {
  compileFilter,
  isRelated,
  type TruthValue,
} from "#ledger-engine/rules/filters/compiled-filter.ts";
import {
  type Comparison,
  type FilterTest,
  type LedgerFilter,
  testsOf,
} from "#ledger-engine/rules/filters/filters.ts";

describe("a compiled filter", () => {
  /** A row with the truth value of the test of each key. */
  type Row = Readonly<Record<string, TruthValue>>;
  const leaf = (key: string): FilterTest => ({ kind: "boolean", key, value: true });
  const compiled = (filter: LedgerFilter) =>
    compileFilter<Row>(filter, (test) => (row) => row["key" in test ? test.key : ""]);
  const rows: readonly Row[] = [true, false, undefined].flatMap((a) =>
    [true, false, undefined].map((b) => ({ a, b })),
  );
  const matching = (filter: LedgerFilter) =>
    rows.filter(compiled(filter)).map(({ a, b }) => `${a} ${b}`);
  const [a, b] = [leaf("a"), leaf("b")];

  test("a compiled filter selects what is true, not what is unknown", () => {
    expect(matching({ kind: "all", filters: [a, b] })).toEqual(["true true"]);
    expect(matching({ kind: "any", filters: [a, b] })).toEqual([
      "true true",
      "true false",
      "true undefined",
      "false true",
      "undefined true",
    ]);
    expect(matching({ kind: "not", filter: a })).toEqual([
      "false true",
      "false false",
      "false undefined",
    ]);
  });

  test("a compiled filter keeps what is unknown unknown when it is negated, through lists, too", () => {
    expect(matching({ kind: "not", filter: { kind: "all", filters: [a, b] } })).toEqual([
      "true false",
      "false true",
      "false false",
      "false undefined",
      "undefined false",
    ]);
    expect(matching({ kind: "not", filter: { kind: "any", filters: [a, b] } })).toEqual([
      "false false",
    ]);
    const twice: LedgerFilter = { kind: "not", filter: { kind: "not", filter: a } };
    expect(matching(twice)).toEqual(matching(a));
  });

  test("a compiled filter of an empty list is always true, and its negation never", () => {
    for (const kind of ["all", "any"] as const) {
      const none: LedgerFilter = { kind, filters: [] };
      expect(matching(none)).toHaveLength(rows.length);
      expect(matching({ kind: "not", filter: none })).toEqual([]);
      expect(matching({ kind: "all", filters: [a, none] })).toEqual(matching(a));
    }
  });

  test("a compiled filter compiles each test once, before it sees a row", () => {
    let count = 0;
    const matches = compileFilter<Row>({ kind: "any", filters: [a, b, a] }, () => {
      count++;
      return () => false;
    });
    expect(count).toBe(3);
    for (const row of rows) matches(row);
    expect(count).toBe(3);
  });

  test("a compiled filter has the tests that it was made of", () => {
    const filter: LedgerFilter = {
      kind: "all",
      filters: [a, { kind: "not", filter: { kind: "any", filters: [b, a] } }],
    };
    expect([...testsOf(filter)]).toEqual([a, b, a]);
    expect([...testsOf({ kind: "any", filters: [] })]).toEqual([]);
  });
});

test.each<[Comparison, boolean[]]>([
  ["$match", [false, true, false]],
  ["$lt", [true, false, false]],
  ["$lte", [true, true, false]],
  ["$gt", [false, false, true]],
  ["$gte", [false, true, true]],
])("%s compares integers and dates", (operator, verdicts) => {
  for (const values of [
    [-1n, 0n, 1n],
    [-(10n ** 40n), 10n ** 39n, 10n ** 40n],
  ]) {
    const [low = 0n, middle = 0n, high = 0n] = values;
    expect([low, middle, high].map((value) => isRelated(value, operator, middle))).toEqual(
      verdicts,
    );
  }
  const dates = ["2026-03-01T09:30:00.000000Z", "2026-03-01T09:30:00.000001Z", "2027"];
  expect(dates.map((date) => isRelated(date, operator, dates[1] ?? ""))).toEqual(verdicts);
});
