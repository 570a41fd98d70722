import {
  type FilterTest,
  type LedgerFilter,
  testsOf,
} from "#ledger-engine/rules/filters/filters.ts";
import {
  ALL,
  complement,
  intersection,
  interval,
  type Intervals,
  NONE,
  union,
} from "#ledger-engine/rules/filters/intervals.ts";
import type { LogType } from "#ledger-engine/rules/types.ts";
import { LOG_TYPES } from "#ledger-engine/storage/payload.ts";
import { likeMatcher } from "#platform/filter/like.ts";
import { toMicros } from "#platform/time.ts";

/** Selects log entries by ranges of ids, of one type or of all types. */
export interface LogSource {
  /** The number of the type; undefined for all types. */
  readonly type: number | undefined;
  readonly ids: Intervals;
}

/**
 * Selects exactly the entries that match a filter. Among entries of one type, each test of a filter is a set of ranges of
 * ids, because dates never decrease with the ids. `lastAt` gives the last id whose date, in microseconds since 1970, is not
 * after a date.
 */
export function selectLogs(
  filter: LedgerFilter | undefined,
  lastAt: (micros: bigint) => number,
): LogSource[] {
  if (filter === undefined) return [{ type: undefined, ids: ALL }];
  const lastIds = new Map<bigint, number>();
  const lastIdBy = (micros: bigint): number => {
    const known = lastIds.get(micros) ?? lastAt(micros);
    lastIds.set(micros, known);
    return known;
  };
  const names = Object.keys(LOG_TYPES) as LogType[]; // the keys of a literal
  const isTyped = testsOf(filter).some(({ kind }) => kind === "text" || kind === "like");
  const types = isTyped ? names : names.slice(0, 1);
  return types.map((name) => ({
    type: isTyped ? LOG_TYPES[name] : undefined,
    ids: idsOf(filter, (test) => idsOfTest(test, name, lastIdBy)),
  }));
}

function idsOf(filter: LedgerFilter, idsOfTest: (test: FilterTest) => Intervals): Intervals {
  switch (filter.kind) {
    case "all":
      return filter.filters.reduce((ids, it) => intersection(ids, idsOf(it, idsOfTest)), ALL);
    case "any":
      // A filter with an empty list is always true.
      return filter.filters.length === 0
        ? ALL
        : filter.filters.reduce((ids, it) => union(ids, idsOf(it, idsOfTest)), NONE);
    case "not":
      return complement(idsOf(filter.filter, idsOfTest));
    default:
      return idsOfTest(filter);
  }
}

function idsOfTest(test: FilterTest, type: LogType, lastAt: (micros: bigint) => number): Intervals {
  switch (test.kind) {
    case "text":
      return test.values.includes(type) ? ALL : NONE;
    case "like":
      return likeMatcher(test.pattern)(type) ? ALL : NONE;
    case "number": {
      const id = toIdBound(test.value);
      return related(test.operator, { before: () => id - 1, last: () => id });
    }
    case "date": {
      const micros = toMicros(test.value);
      return related(test.operator, {
        before: () => lastAt(micros - 1n),
        last: () => lastAt(micros),
      });
    }
    default:
      throw new Error(`log entries are not filtered by ${test.kind}`);
  }
}

type Operator = Extract<FilterTest, { kind: "number" }>["operator"];

/**
 * The ids that are in a relation to a value: `before` gives the last id below the value, `last` the last id that is not above
 * the value. Both are functions because each may be a search, and most operators need only one.
 */
function related(
  operator: Operator,
  { before, last }: { before: () => number; last: () => number },
): Intervals {
  const [first, end] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  switch (operator) {
    case "$match":
      return interval(before() + 1, last());
    case "$lt":
      return interval(first, before());
    case "$lte":
      return interval(first, last());
    case "$gt":
      return interval(last() + 1, end);
    case "$gte":
      return interval(before() + 1, end);
  }
}

/** A value as a bound for ids. A value that no id can have becomes infinite. */
export function toIdBound(value: bigint): number {
  if (value < 0n) return Number.NEGATIVE_INFINITY;
  return value > Number.MAX_SAFE_INTEGER ? Number.POSITIVE_INFINITY : Number(value);
}
