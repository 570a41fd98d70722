import { mergeStreams } from "./merge.ts";
import type { Order } from "#platform/paging/pagination.ts";
import type { Sql, SqlValue } from "#platform/sql/sql.ts";

/** Ids from one to another, both included; none if `from` is the larger. */
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

/** What is left of a span behind an id. */
export const behind = (range: IdRange, order: Order, id: number): IdRange =>
  order === "asc" ? { from: id + 1, to: range.to } : { from: range.from, to: id - 1 };

export const compareIds = (order: Order): ((a: number, b: number) => number) =>
  order === "asc" ? (a, b) => a - b : (a, b) => b - a;

/** How the ids of a path are read. */
export interface ScanOptions {
  readonly range: IdRange;
  readonly order: Order;
  /** How many are wanted at first: more are read in growing steps. */
  readonly batch: number;
  /** Whether many rows were tried before, so that it is known that few match. */
  readonly isRest?: boolean | undefined;
}

/** A way to the transactions that a condition allows, and perhaps to some others: their ids, by an index. */
export interface IdScan {
  /** Whether an index gives the ids in order. Otherwise all entries are read to find the next ones. */
  readonly isOrdered: boolean;
  /** Their ids in order, each once. */
  iterate(options: ScanOptions): Generator<number>;
  /** All their ids within a span in any order, each at least once. */
  iterateUnordered(range: IdRange): Generator<number>;
  /** About how many entries it has in a span, at most `max`, which bounds what is read to tell. */
  count(range: IdRange, max: number): number;
  /** How many ids it has in a span; undefined where no index tells. */
  size(range: IdRange): number | undefined;
  /** The same path, in order if its entries are few. */
  materialized(): IdScan;
  /** About how many rows can be read in the time that its first ids take; of a path in order, 0. */
  cost(): number;
}

/** Entries of an index, as SQL; the texts are constants, as each is prepared once and kept. */
export interface IndexRange {
  /** `FROM` with a `WHERE` that more is added to. */
  readonly from: string;
  /** The column of the id. */
  readonly column: string;
  readonly bindings: readonly SqlValue[];
  readonly isOrdered: boolean;
  /** Whether an id may have several entries. */
  readonly mayRepeat?: boolean;
  /** Whether most ids have an entry, so that the width of a span is taken for the number of its entries. */
  readonly isDense?: boolean;
}

/** So many entries are sorted at once, in memory. */
export const MATERIALIZED_MAX = 500;
const ORDERED_BATCH_MAX = 2000;
const UNORDERED_BATCH_MAX = 50_000;
/** Entries that are read at a time, at first, where all are read. */
const SCAN_BATCH = 10_000;
/** Entries that are passed over in the time of one row, and how many are counted to tell. */
const ENTRIES_PER_ROW = 25;
const COSTED_ENTRIES_MAX = 50_000;

/** The entries of one range of an index. */
export class IndexScan implements IdScan {
  readonly #sql: Sql;
  readonly #indexRange: IndexRange;
  /** All ids, out of order, once it is known that they are few. */
  #known: readonly number[] | undefined;

  constructor(sql: Sql, indexRange: IndexRange) {
    this.#sql = sql;
    this.#indexRange = indexRange;
  }

  get isOrdered(): boolean {
    return this.#indexRange.isOrdered;
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

  /** Out of order, the entries of a span are found no faster than all of them. */
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

  /** Where few entries are left of a long range, finding them takes time: they are kept. */
  #readKnown(max: number): readonly number[] {
    if (this.#known !== undefined) return this.#known;
    const { from, column, bindings } = this.#indexRange;
    const rows = this.#sql.all<{ id: number }>(
      `SELECT ${column} AS id ${from} LIMIT ?`,
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
      `SELECT count(*) AS count FROM (SELECT 1 ${from} AND ${column} >= ? AND ${column} <= ? LIMIT ?)`,
      ...bindings,
      low,
      high,
      max,
    );
    return counted?.count ?? 0;
  }

  #nearest({ from: low, to: high }: IdRange, order: Order, limit: number): number[] {
    const { from, column, bindings } = this.#indexRange;
    const rows = this.#sql.all<{ id: number }>(
      `SELECT ${column} AS id ${from} AND ${column} >= ? AND ${column} <= ? ORDER BY ${column} ${order} LIMIT ?`,
      ...bindings,
      low,
      high,
      limit,
    );
    return rows.map(({ id }) => id);
  }
}

/** A few ids that are known. */
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

/** What any of several paths leads to. */
export class UnionScan implements IdScan {
  readonly #scans: readonly IdScan[];
  readonly #sizeOf: ((range: IdRange) => number | undefined) | undefined;

  /** Another way to tell how many ids it has may be given. */
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

/** What a path leads to within a span. */
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

/** Each id once; equal ones are next to each other. */
export function* distinct(ids: Iterable<number>): Generator<number> {
  let last: number | undefined;
  for (const id of ids) {
    if (id !== last) yield id;
    last = id;
  }
}

/** So many entries of each path are counted to find the shortest, in steps, and so many paths are looked at. */
const COUNTS = [512, 4096, 32_768];
const SCANS_MAX = 20;

/** The path with the fewest entries in a span, or the first where none has few. */
export function shortest(scans: readonly IdScan[], range: IdRange): IdScan | undefined {
  const some = scans.slice(0, SCANS_MAX);
  if (some.length < 2) return some[0];
  for (const most of COUNTS) {
    const found = shorterThan(most, some, range);
    if (found !== undefined) return found;
  }
  return some[0];
}

/** A path with at most so many entries in a span. Those in order are counted first, as that reads no more than they have. */
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
