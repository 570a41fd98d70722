import { compareBytes } from "#ledger-engine/rules/canonical.ts";
import { type AddressRange, addressRanges } from "#ledger-engine/rules/filters/address-pattern.ts";
import type { FilterTest, LedgerFilter } from "#ledger-engine/rules/filters/filters.ts";
import { ANY_TEXT, likePrefix, parseLike } from "#platform/filter/like.ts";
import { toMicros } from "#platform/time.ts";

/** An access path: an index range that contains all accounts that a filter may match, and perhaps others. */
export type AccountPath =
  | { readonly kind: "addresses"; readonly ranges: readonly SortedRange[] }
  | ({ readonly kind: "dates"; readonly column: AccountDateColumn } & DateRange)
  /** Accounts with a metadata key and, if values are given, one of these values. */
  | {
      readonly kind: "metadata";
      readonly name: string;
      readonly values: readonly string[] | undefined;
    }
  /** The accounts of all parts together. */
  | { readonly kind: "union"; readonly parts: readonly AccountPath[] };

/** The addresses in byte order from `from` (included) to `below` (excluded). */
export interface SortedRange {
  readonly from: string;
  readonly below: string;
}

export const ACCOUNT_DATE_COLUMNS = ["first_usage", "insertion_date", "updated_at"] as const;
export type AccountDateColumn = (typeof ACCOUNT_DATE_COLUMNS)[number];

/** A range of dates in microseconds since 1970. Both bounds are included; undefined stands for no bound. */
export interface DateRange {
  readonly from: bigint | undefined;
  readonly to: bigint | undefined;
}

/** A text that sorts after every address, because addresses consist of ASCII characters. */
export const ADDRESS_END = "\u{10FFFF}";

/** The paths to the accounts that a filter may match. Each path alone contains all of these accounts. */
export function pathsOf(filter: LedgerFilter | undefined): AccountPath[] {
  if (filter === undefined) return [];
  const exact = exactRanges(filter);
  if (exact !== undefined) return [{ kind: "addresses", ranges: exact }];
  switch (filter.kind) {
    case "all":
      return joined(filter.filters.flatMap(pathsOf));
    case "any": {
      const parts = filter.filters.map((inner) => pathsOf(inner)[0]);
      // A filter with an empty list is always true.
      return parts.length === 0 || parts.includes(undefined)
        ? []
        : [unionOf(parts.filter((part) => part !== undefined))];
    }
    case "not":
      return [];
    default:
      return pathsOfTest(filter);
  }
}

/** Ranges that contain the addresses of exactly the accounts that match a filter; undefined if ranges cannot express the filter. */
export function exactRanges(filter: LedgerFilter | undefined): SortedRange[] | undefined {
  switch (filter?.kind) {
    case "address":
      return filter.patterns.some(({ segments }) => segments.includes(""))
        ? undefined
        : sortedRanges(filter.patterns.flatMap(addressRanges));
    case "addressLike":
      return isPrefix(filter.pattern) ? [likeRange(filter.pattern)] : undefined;
    case "not": {
      const ranges = exactRanges(filter.filter);
      return ranges && otherRanges(ranges);
    }
    case "all":
    case "any": {
      const parts = filter.filters.flatMap((inner) => {
        const ranges = exactRanges(inner);
        return ranges === undefined ? [] : [ranges];
      });
      // A filter with an empty list is always true.
      if (parts.length === 0 || parts.length < filter.filters.length) return undefined;
      return filter.kind === "any"
        ? sortedRanges(parts.flat())
        : otherRanges(sortedRanges(parts.flatMap(otherRanges)));
    }
    default:
      return undefined;
  }
}

/** The complement of sorted ranges. */
export function otherRanges(ranges: readonly SortedRange[]): SortedRange[] {
  const others: SortedRange[] = [];
  let start = "";
  for (const { from, below } of ranges) {
    if (compareBytes(start, from) < 0) others.push({ from: start, below: from });
    start = below;
  }
  if (compareBytes(start, ADDRESS_END) < 0) others.push({ from: start, below: ADDRESS_END });
  return others;
}

function likeRange(pattern: string): SortedRange {
  const prefix = likePrefix(pattern);
  return { from: prefix, below: `${prefix}${ADDRESS_END}` };
}

/** Whether a pattern consists of a prefix and nothing else. */
function isPrefix(pattern: string): boolean {
  const items = parseLike(pattern);
  return items.pop() === ANY_TEXT && items.every((item) => typeof item === "string");
}

function pathsOfTest(test: FilterTest): AccountPath[] {
  switch (test.kind) {
    case "address": {
      const ranges = test.patterns.flatMap(addressRanges);
      const isAll = ranges.some(({ from, below }) => from === "" && below === undefined);
      return isAll ? [] : [{ kind: "addresses", ranges: sortedRanges(ranges) }];
    }
    case "addressLike": {
      const range = likeRange(test.pattern);
      return range.from === "" ? [] : [{ kind: "addresses", ranges: [range] }];
    }
    case "date": {
      const column = ACCOUNT_DATE_COLUMNS.find((known) => known === test.key);
      return column === undefined ? [] : [{ kind: "dates", column, ...dateRange(test) }];
    }
    case "metadata":
      return [{ kind: "metadata", name: test.name, values: test.values }];
    case "metadataLike":
    case "metadataExists":
      return [{ kind: "metadata", name: test.name, values: undefined }];
    default:
      return [];
  }
}

function dateRange({ operator, value }: Extract<FilterTest, { kind: "date" }>): DateRange {
  const micros = toMicros(value);
  switch (operator) {
    case "$match":
      return { from: micros, to: micros };
    case "$lt":
      return { from: undefined, to: micros - 1n };
    case "$lte":
      return { from: undefined, to: micros };
    case "$gt":
      return { from: micros + 1n, to: undefined };
    case "$gte":
      return { from: micros, to: undefined };
  }
}

/** Merges the paths of conditions that must all hold: conditions on the same date become one range. */
function joined(paths: readonly AccountPath[]): AccountPath[] {
  const others = paths.filter(({ kind }) => kind !== "dates");
  const dates = ACCOUNT_DATE_COLUMNS.flatMap((column) => {
    const ranges = paths.filter((path) => path.kind === "dates" && path.column === column);
    const [first, ...rest] = ranges as (AccountPath & DateRange)[]; // the filter keeps only paths of dates
    if (first === undefined) return [];
    const range = rest.reduce<DateRange>(
      (sum, { from, to }) => ({
        from: sum.from === undefined || (from ?? sum.from) > sum.from ? from : sum.from,
        to: sum.to === undefined || (to ?? sum.to) < sum.to ? to : sum.to,
      }),
      first,
    );
    return [{ kind: "dates" as const, column, from: range.from, to: range.to }];
  });
  return [...others, ...dates];
}

/** A union of address ranges stays a list of ranges, so that it can be walked in order. */
function unionOf(parts: readonly AccountPath[]): AccountPath {
  const ranges = parts.map((part) => (part.kind === "addresses" ? part.ranges : undefined));
  return ranges.includes(undefined)
    ? { kind: "union", parts }
    : { kind: "addresses", ranges: sortedRanges(ranges.flatMap((it) => it ?? [])) };
}

/** Sorts ranges in byte order, and merges those that overlap or touch. */
export function sortedRanges(ranges: readonly AddressRange[]): SortedRange[] {
  const sorted = ranges
    .map(({ from, below = ADDRESS_END }) => ({ from, below }))
    .toSorted((a, b) => compareBytes(a.from, b.from));
  const found: SortedRange[] = [];
  for (const range of sorted) {
    const last = found.at(-1);
    if (last === undefined || compareBytes(range.from, last.below) > 0) found.push(range);
    else if (compareBytes(range.below, last.below) > 0) {
      found[found.length - 1] = { from: last.from, below: range.below };
    }
  }
  return found;
}
