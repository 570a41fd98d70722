import type { Comparison, FilterTest, LedgerFilter } from "./filters.ts";

/**
 * The result of a test in three-valued logic (SQL, after Kleene); undefined is unknown. A test of an absent reference, date
 * of a revert or balance is unknown. A test of absent metadata is false, so that the row matches the test's negation.
 */
export type TruthValue = boolean | undefined;

/**
 * Combines functions for the tests of a filter into one function for the whole filter. A row matches if the whole filter
 * is true, not if it is unknown.
 */
export function compileFilter<Row>(
  filter: LedgerFilter,
  compileTest: (test: FilterTest) => (row: Row) => TruthValue,
): (row: Row) => boolean {
  const judge = judgeOf(filter, compileTest);
  return (row) => judge(row) === true;
}

/** `compileFilter` with all three results. False says that a row cannot match, even if parts of it are not known yet. */
export function judgeOf<Row>(
  filter: LedgerFilter,
  compileTest: (test: FilterTest) => (row: Row) => TruthValue,
): (row: Row) => TruthValue {
  switch (filter.kind) {
    case "all":
    case "any": {
      const judges = filter.filters.map((it) => judgeOf(it, compileTest));
      // A filter with an empty list is always true, for both operators.
      if (judges.length === 0) return () => true;
      return filter.kind === "all" ? allOf(judges) : anyOf(judges);
    }
    case "not": {
      const judge = judgeOf(filter.filter, compileTest);
      return (row) => {
        const verdict = judge(row);
        return verdict === undefined ? undefined : !verdict;
      };
    }
    default:
      return compileTest(filter);
  }
}

const allOf =
  <Row>(judges: readonly ((row: Row) => TruthValue)[]) =>
  (row: Row): TruthValue => {
    let all: TruthValue = true;
    for (const judge of judges) {
      const verdict = judge(row);
      if (verdict === false) return false;
      if (verdict === undefined) all = undefined;
    }
    return all;
  };

const anyOf =
  <Row>(judges: readonly ((row: Row) => TruthValue)[]) =>
  (row: Row): TruthValue => {
    let any: TruthValue = false;
    for (const judge of judges) {
      const verdict = judge(row);
      if (verdict === true) return true;
      if (verdict === undefined) any = undefined;
    }
    return any;
  };

/** Compares a value with the value of a test. Both are integers, or both are timestamps, which sort as texts. */
export function isRelated<V extends bigint | number | string>(
  value: V,
  operator: Comparison,
  other: V,
): boolean {
  switch (operator) {
    case "$match":
      return value === other;
    case "$lt":
      return value < other;
    case "$lte":
      return value <= other;
    case "$gt":
      return value > other;
    case "$gte":
      return value >= other;
  }
}
