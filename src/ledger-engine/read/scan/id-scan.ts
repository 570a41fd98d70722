import { mergeStreams } from "./merge.ts";
import type { Order } from "#platform/paging/query.ts";
import type { Sql, SqlValue } from "#platform/sql/sql.ts";

/** The ids from `from` to `to`, both included. The range is empty if `from` is larger. */
export interface IdRange {
  readonly from: number;
  readonly to: number;
}

export const ALL_IDS: IdRange = { from: 0, to: Number.MAX_SAFE_INTEGER };
export const NO_IDS: IdRange = { from: 0, to: -1 };

export const isEmpty = ({ from, to }: IdRange): boolean => from > to;

export const intersection = (a: IdRange, b: IdRange): IdRange => ({
  from: Math.max(a.from, b.from),
  to: Math.min(a.to, b.to),
});

/** The rest of a range after an id, in an order. */
export const behind = (range: IdRange, order: Order, id: number): IdRange =>
  order === "asc" ? { from: id + 1, to: range.to } : { from: range.from, to: id - 1 };

export const compareIds = (order: Order): ((a: number, b: number) => number) =>
  order === "asc" ? (a, b) => a - b : (a, b) => b - a;

export interface ScanOptions {
  readonly range: IdRange;
  readonly order: Order;
  /** The number of ids that are read at first. Later steps are larger. */
  readonly batch: number;
  /** Whether an earlier part of the read has tried many rows, so that few rows are known to match. */
  readonly isRest?: boolean | undefined;
}

/**
 * The ids of the transactions that a condition allows, and perhaps of others, read from an index. Conditions become scans:
 *
 *     metadata[a] = x          IndexScan    an index range
 *     account users:1:         MoveScan     a k-way merge of one index range for each account and asset
 *     reference in […]         IdList       known ids, sorted in memory
 *     any of …                 UnionScan    a merge of other scans without repetitions
 *     ids 5…900 of a scan      BoundedScan
 *     timestamp ≥ d            RangeScan    a range of ids, and a few ids outside of it
 */
export interface IdScan {
  /** Whether the index gives the ids in order. If not, all entries are read to find the next ids. */
  readonly isOrdered: boolean;
  /** The range of one index that gives exactly these ids in order, each once, if there is one. */
  readonly orderedRange?: IndexRange | undefined;
  /** The ids in order, each once. */
  iterate(options: ScanOptions): Generator<number>;
  /** The ids within a range in any order, each at least once. */
  iterateUnordered(range: IdRange): Generator<number>;
  /** The approximate number of entries in a range, at most `max`. At most `max` entries are read to count them. */
  count(range: IdRange, max: number): number;
  /** The exact number of ids in a range; undefined if no index gives it. */
  size(range: IdRange): number | undefined;
  /** An `IdList` of the ids if there are few; otherwise the scan itself. */
  materialized(): IdScan;
  /** The time to find the first ids, as the number of rows that can be read in it. It is 0 for a scan in order. */
  cost(): number;
}

/** A range of an index, as SQL. The texts are constants, because each is prepared once and kept. */
export interface IndexRange {
  /** The clauses `FROM` and `WHERE`, to which more conditions are added. */
  readonly from: string;
  /** The column that contains the id. */
  readonly column: string;
  readonly bindings: readonly SqlValue[];
  readonly isOrdered: boolean;
  /** Whether an id may have several entries. */
  readonly mayRepeat?: boolean;
  /** Whether most ids have an entry, so that the width of a range is a good estimate of the number of its entries. */
  readonly isDense?: boolean;
}

/** The most entries that are sorted in memory. */
export const MATERIALIZED_MAX = 500;
const ORDERED_BATCH_MAX = 2000;
const UNORDERED_BATCH_MAX = 50_000;
/** The number of entries of the first step of a read of all entries. */
const SCAN_BATCH = 10_000;
/**
 * The number of entries that are skipped in the time of reading one row. At most `COSTED_ENTRIES_MAX` are counted to
 * estimate a cost.
 */
const ENTRIES_PER_ROW = 25;
const COSTED_ENTRIES_MAX = 50_000;

/** Reads the ids of one range of an index. */
export class IndexScan implements IdScan {
  readonly #sql: Sql;
  readonly #indexRange: IndexRange;
  /** All ids, unsorted, once they were read because there are few. */
  #known: readonly number[] | undefined;

  constructor(sql: Sql, indexRange: IndexRange) {
    this.#sql = sql;
    this.#indexRange = indexRange;
  }

  get isOrdered(): boolean {
    return this.#indexRange.isOrdered;
  }

  get orderedRange(): IndexRange | undefined {
    const { isOrdered, mayRepeat = false } = this.#indexRange;
    return isOrdered && !mayRepeat ? this.#indexRange : undefined;
  }

  *iterate({ range, order, batch }: ScanOptions): Generator<number> {
    const growth = this.isOrdered ? 2 : 8;
    const most = this.isOrdered ? ORDERED_BATCH_MAX : UNORDERED_BATCH_MAX;
    let limit = this.isOrdered ? batch : Math.max(batch, MATERIALIZED_MAX);
    for (
      let rest = range;
      !isEmpty(rest);
      limit = Math.max(limit, Math.min(limit * growth, most))
    ) {
      const ids = this.#nearest(rest, order, limit);
      yield* distinct(ids);
      const last = ids.at(-1);
      if (last === undefined || ids.length < limit) return;
      rest = behind(rest, order, last);
    }
  }

  iterateUnordered(range: IdRange): Generator<number> {
    return this.iterate({ range, order: "asc", batch: SCAN_BATCH });
  }

  /** If the index is not in order, all entries are counted: counting the entries of a range would take as long. */
  count(range: IdRange, max: number): number {
    const { isOrdered, isDense = false } = this.#indexRange;
    if (isDense) return Math.max(0, Math.min(range.to - range.from + 1, max));
    if (isOrdered) return this.#count(range, max);
    if (this.#known === undefined && max > MATERIALIZED_MAX + 1) return this.#count(ALL_IDS, max);
    return Math.min(max, this.#readKnown(max).length);
  }

  size(range: IdRange): number | undefined {
    return this.#indexRange.mayRepeat === true ? undefined : this.#count(range);
  }

  materialized(): IdScan {
    if (this.isOrdered) return this;
    const ids = this.#readKnown(MATERIALIZED_MAX + 1);
    return ids.length > MATERIALIZED_MAX ? this : new IdList(ids);
  }

  cost(): number {
    return this.isOrdered ? 0 : this.count(ALL_IDS, COSTED_ENTRIES_MAX) / ENTRIES_PER_ROW;
  }

  /** The first ids, at most `max`. They are kept if they are all, because finding them again may mean skipping a long range. */
  #readKnown(max: number): readonly number[] {
    if (this.#known !== undefined) return this.#known;
    const { from, column, bindings } = this.#indexRange;
    const rows = this.#sql.all<{ id: number }>(
      `SELECT ${column} AS id ${from} LIMIT ? + 0`,
      ...bindings,
      max,
    );
    const ids = rows.map(({ id }) => id);
    if (ids.length < max) this.#known = ids;
    return ids;
  }

  #count({ from: low, to: high }: IdRange, max = Number.MAX_SAFE_INTEGER): number {
    const { from, column, bindings } = this.#indexRange;
    const [counted] = this.#sql.all<{ count: number }>(
      `SELECT count(*) AS count FROM (SELECT 1 ${from} AND ${column} >= ? AND ${column} <= ? LIMIT ? + 0)`,
      ...bindings,
      low,
      high,
      max,
    );
    return counted?.count ?? 0;
  }

  #nearest(range: IdRange, order: Order, limit: number): number[] {
    const { select, bindings } = nearestIn(this.#indexRange, { range, order, limit });
    return this.#sql.all<{ id: number }>(select, ...bindings).map(({ id }) => id);
  }
}

/** Makes a statement for the first ids of an index within a range. */
export function nearestIn(
  { from, column, bindings }: IndexRange,
  { range, order, limit }: { range: IdRange; order: Order; limit: number },
): { select: string; bindings: readonly SqlValue[] } {
  const select = `SELECT ${column} AS id ${from} AND ${column} >= ? AND ${column} <= ? ORDER BY ${column} ${order} LIMIT ? + 0`;
  return { select, bindings: [...bindings, range.from, range.to, limit] };
}

/** A scan of known ids, sorted in memory. */
export class IdList implements IdScan {
  readonly isOrdered = true;
  readonly #ids: readonly number[];

  constructor(ids: Iterable<number>) {
    this.#ids = [...new Set(ids)].toSorted((a, b) => a - b);
  }

  *iterate({ range, order }: ScanOptions): Generator<number> {
    const ids = this.#within(range);
    yield* order === "asc" ? ids : ids.toReversed();
  }

  *iterateUnordered(range: IdRange): Generator<number> {
    yield* this.#within(range);
  }

  count(range: IdRange, max: number): number {
    return Math.min(max, this.size(range));
  }

  size(range: IdRange): number {
    return this.#within(range).length;
  }

  materialized(): IdScan {
    return this;
  }

  cost(): number {
    return 0;
  }

  #within({ from, to }: IdRange): readonly number[] {
    return this.#ids.filter((id) => id >= from && id <= to);
  }
}

/** The ids of several scans together, each id once. */
export class UnionScan implements IdScan {
  readonly #scans: readonly IdScan[];
  readonly #sizeOf: ((range: IdRange) => number | undefined) | undefined;

  /** `sizeOf` may give the exact number of ids, if the caller has another way to count them. */
  constructor(scans: readonly IdScan[], sizeOf?: (range: IdRange) => number | undefined) {
    this.#scans = scans;
    this.#sizeOf = sizeOf;
  }

  get isOrdered(): boolean {
    return this.#scans.every(({ isOrdered }) => isOrdered);
  }

  iterate(options: ScanOptions): Generator<number> {
    const streams = this.#scans.map((scan) => ({ items: scan.iterate(options) }));
    return distinct(mergeStreams(streams, compareIds(options.order)));
  }

  *iterateUnordered(range: IdRange): Generator<number> {
    for (const scan of this.#scans) yield* scan.iterateUnordered(range);
  }

  count(range: IdRange, max: number): number {
    let count = 0;
    for (const scan of this.#scans) {
      if (count >= max) break;
      count += scan.count(range, max - count);
    }
    return count;
  }

  size(range: IdRange): number | undefined {
    return this.#sizeOf?.(range);
  }

  materialized(): IdScan {
    return this.isOrdered
      ? this
      : new UnionScan(
          this.#scans.map((scan) => scan.materialized()),
          this.#sizeOf,
        );
  }

  cost(): number {
    return this.#scans.reduce((sum, scan) => sum + scan.cost(), 0);
  }
}

/** The ids of a scan within a range. */
export class BoundedScan implements IdScan {
  readonly #scan: IdScan;
  readonly #range: IdRange;

  constructor(scan: IdScan, range: IdRange) {
    this.#scan = scan;
    this.#range = range;
  }

  get isOrdered(): boolean {
    return this.#scan.isOrdered;
  }

  iterate(options: ScanOptions): Generator<number> {
    return this.#scan.iterate({ ...options, range: intersection(options.range, this.#range) });
  }

  iterateUnordered(range: IdRange): Generator<number> {
    return this.#scan.iterateUnordered(intersection(range, this.#range));
  }

  count(range: IdRange, max: number): number {
    return this.#scan.count(intersection(range, this.#range), max);
  }

  size(range: IdRange): number | undefined {
    return this.#scan.size(intersection(range, this.#range));
  }

  materialized(): IdScan {
    return new BoundedScan(this.#scan.materialized(), this.#range);
  }

  cost(): number {
    return this.#scan.cost();
  }
}

/** Gives each id once. Equal ids must be next to each other. */
export function* distinct(ids: Iterable<number>): Generator<number> {
  let last: number | undefined;
  for (const id of ids) {
    if (id !== last) yield id;
    last = id;
  }
}

/** The limits, in entries, up to which `shortest` counts each of at most `SCANS_MAX` scans, one limit after the other. */
const COUNTS = [512, 4096, 32_768];
const SCANS_MAX = 20;

/** A scan with few entries in a range, by the limits of `COUNTS`; the first scan if all have many entries. */
export function shortest(scans: readonly IdScan[], range: IdRange): IdScan | undefined {
  const some = scans.slice(0, SCANS_MAX);
  if (some.length < 2) return some[0];
  for (const most of COUNTS) {
    const found = shorterThan(most, some, range);
    if (found !== undefined) return found;
  }
  return some[0];
}

/**
 * A scan with at most `most` entries in a range. Scans in order are counted first, because counting them reads only entries
 * of the range.
 */
export function shorterThan(
  most: number,
  scans: readonly IdScan[],
  range: IdRange,
): IdScan | undefined {
  const some = scans.slice(0, SCANS_MAX);
  const isShort = (scan: IdScan): boolean => scan.count(range, most + 1) <= most;
  return (
    some.find((scan) => scan.isOrdered && isShort(scan)) ??
    some.find((scan) => !scan.isOrdered && isShort(scan))
  );
}
