import type { Comparison, FilterTest, LedgerFilter } from "#ledger-engine/rules/filters/filters.ts";
import { MICROS_MAX, MICROS_MIN, toMicros } from "#platform/time.ts";

/** A range of integers, or of dates in microseconds since 1970. Both bounds are included. */
export interface IntegerRange {
  readonly from: bigint;
  readonly to: bigint;
}

export const ALL_DATES: IntegerRange = { from: MICROS_MIN, to: MICROS_MAX };

export const isAllDates = ({ from, to }: IntegerRange): boolean =>
  from <= MICROS_MIN && to >= MICROS_MAX;

const intersect = (a: IntegerRange, b: IntegerRange): IntegerRange => ({
  from: a.from > b.from ? a.from : b.from,
  to: a.to < b.to ? a.to : b.to,
});

/** The values in `all` that are in a relation to `value`. */
export function rangeOf(operator: Comparison, value: bigint, all: IntegerRange): IntegerRange {
  switch (operator) {
    case "$match":
      return intersect(all, { from: value, to: value });
    case "$lt":
      return intersect(all, { from: all.from, to: value - 1n });
    case "$lte":
      return intersect(all, { from: all.from, to: value });
    case "$gt":
      return intersect(all, { from: value + 1n, to: all.to });
    case "$gte":
      return intersect(all, { from: value, to: all.to });
  }
}

/** The values in `all` that are not in a relation to `value`; undefined if they are not a single range. */
export function rangeOfOthers(
  operator: Comparison,
  value: bigint,
  all: IntegerRange,
): IntegerRange | undefined {
  const opposite = OPPOSITES[operator];
  return opposite === undefined ? undefined : rangeOf(opposite, value, all);
}

const OPPOSITES: Readonly<Record<Comparison, Comparison | undefined>> = {
  $match: undefined,
  $lt: "$gte",
  $lte: "$gt",
  $gt: "$lte",
  $gte: "$lt",
};

/** A range that contains the dates of a column that a filter allows. Only conjunctions narrow it. */
export function datesAllowed(
  filter: LedgerFilter | undefined,
  column: string,
  isNegated = false,
): IntegerRange {
  switch (filter?.kind) {
    case "not":
      return datesAllowed(filter.filter, column, !isNegated);
    case "all":
    case "any":
      // De Morgan: a negated disjunction is the conjunction of the negations.
      return (filter.kind === "all") === isNegated
        ? ALL_DATES
        : filter.filters
            .map((inner) => datesAllowed(inner, column, isNegated))
            .reduce(intersect, ALL_DATES);
    case "date":
      return filter.key === column ? (dateRange(filter, isNegated) ?? ALL_DATES) : ALL_DATES;
    default:
      return ALL_DATES;
  }
}

/** The dates that pass a test or its negation; undefined if they are not a single range. A missing date passes neither. */
export function dateRange(
  { operator, value }: Extract<FilterTest, { kind: "date" }>,
  isNegated: boolean,
): IntegerRange | undefined {
  return (isNegated ? rangeOfOthers : rangeOf)(operator, toMicros(value), ALL_DATES);
}
