import { Buffer } from "node:buffer";
import { encodeCursor } from "./cursor.ts";
import type { ColumnQuery, OffsetQuery, Order, PageKey, PageQuery } from "./query.ts";

export interface Page<T> {
  readonly pageSize: number;
  readonly hasMore: boolean;
  readonly previous?: string;
  readonly next?: string;
  readonly data: readonly T[];
  /** The query for the rest of the page, if reading ended before the page was full; see `joinPages`. */
  readonly rest?: ColumnQuery;
}

/** The read of a page's rows: in `order` from `bound`, at most `limit` rows. */
export interface Scan {
  readonly order: Order;
  readonly bound?: { readonly key: PageKey; readonly inclusive: boolean };
  readonly offset: number;
  readonly limit: number;
}

/** The scan that reads the rows of a page and one more, which tells whether another page follows. */
export function scanOf(query: PageQuery): Scan {
  const limit = wantedOf(query) + 1;
  if (query.kind === "offset") return { order: query.order, offset: query.offset, limit };
  const order = query.reverse ? opposite(query.order) : query.order;
  return {
    order,
    offset: 0,
    limit,
    ...(query.start === undefined
      ? {}
      : { bound: { key: query.start, inclusive: !query.reverse } }),
  };
}

export interface PageOptions<T> {
  readonly keyOf: (row: T) => PageKey;
  /** Most rows of the page; fewer than the page size for a page that ends early. */
  readonly keptMax?: number;
  /**
   * The key of the row at which reading ended early, with fewer rows than the page size; only for column queries. The page may be empty,
   * and has a neighbour in the direction of reading nevertheless.
   */
  readonly readTo?: PageKey | undefined;
}

/** Makes the page of a scan's rows, in the order in which `scanOf(query)` read them. */
export function pageOf<T>(query: PageQuery, rows: readonly T[], options: PageOptions<T>): Page<T> {
  const wanted = wantedOf(query);
  const keptMax = Math.min(wanted, options.keptMax ?? wanted);
  return query.kind === "offset"
    ? offsetPage(query, rows, keptMax)
    : columnPage(query, rows, { ...options, keptMax });
}

const wantedOf = (query: PageQuery): number =>
  (query.kind === "column" ? query.wanted : undefined) ?? query.pageSize;

/** Joins two parts of a page. The second part was read from the end of the first. */
export function joinPages<T>(query: PageQuery, first: Page<T>, second: Page<T>): Page<T> {
  const { pageSize, rest } = second;
  const isReverse = query.kind === "column" && query.reverse;
  const [ahead, behind] = isReverse ? [second, first] : [first, second];
  return {
    pageSize,
    hasMore: behind.hasMore,
    ...(ahead.previous === undefined ? {} : { previous: ahead.previous }),
    ...(behind.next === undefined ? {} : { next: behind.next }),
    data: [...ahead.data, ...behind.data],
    ...(rest === undefined ? {} : { rest }),
  };
}

/** Maps the items of a page, whose cursors stay. */
export const mapPage = <T, U>(page: Page<T>, map: (item: T) => U): Page<U> => ({
  ...page,
  data: page.data.map(map),
});

function columnPage<T>(
  query: ColumnQuery,
  rows: readonly T[],
  { keyOf, keptMax, readTo }: PageOptions<T> & { readonly keptMax: number },
): Page<T> {
  const bottom = query.bottom ?? keyAt(rows, 0, keyOf);
  const at = (reverse: boolean, start: PageKey | undefined): string =>
    encodeCursor({
      ...query,
      reverse,
      ...(bottom === undefined ? {} : { bottom }),
      ...(start === undefined ? {} : { start }),
    });
  const restOf = (count: number): ColumnQuery | undefined =>
    readTo === undefined
      ? undefined
      : {
          ...query,
          ...(bottom === undefined ? {} : { bottom }),
          start: readTo,
          wanted: wantedOf(query) - count,
        };
  if (query.reverse) {
    const kept = rows.slice(0, keptMax);
    // A previous page starts beyond the row of its key, which is the last row of the current page in the order of reading.
    const start = readTo ?? (rows.length > keptMax ? keyAt(rows, keptMax - 1, keyOf) : undefined);
    return page(query, kept.toReversed(), {
      previous: start === undefined ? undefined : at(true, start),
      next: at(false, query.start),
      rest: restOf(kept.length),
    });
  }
  // The next page starts with the row of its key, so that the row does not belong to the current page.
  const start = readTo ?? keyAt(rows, keptMax, keyOf);
  const isBeyondBottom =
    query.start !== undefined &&
    bottom !== undefined &&
    compareKeys(query.start, bottom) * (query.order === "asc" ? 1 : -1) > 0;
  const kept = rows.slice(0, keptMax);
  const isDone = (row: T): boolean => readTo === undefined || compareKeys(keyOf(row), readTo) !== 0;
  const done = kept.filter(isDone);
  return page(query, done, {
    previous: isBeyondBottom ? at(true, query.start) : undefined,
    next: start === undefined ? undefined : at(false, start),
    rest: restOf(done.length),
  });
}

function keyAt<T>(
  rows: readonly T[],
  index: number,
  keyOf: (row: T) => PageKey,
): PageKey | undefined {
  const row = rows[index];
  return row === undefined ? undefined : keyOf(row);
}

function offsetPage<T>(query: OffsetQuery, rows: readonly T[], keptMax: number): Page<T> {
  const at = (offset: number): string => encodeCursor({ ...query, offset });
  return page(query, rows.slice(0, keptMax), {
    previous: query.offset > 0 ? at(Math.max(0, query.offset - query.pageSize)) : undefined,
    next: rows.length > keptMax ? at(query.offset + keptMax) : undefined,
  });
}

function page<T>(
  query: PageQuery,
  data: readonly T[],
  {
    previous,
    next,
    rest,
  }: {
    previous: string | undefined;
    next: string | undefined;
    rest?: ColumnQuery | undefined;
  },
): Page<T> {
  return {
    pageSize: query.pageSize,
    hasMore: next !== undefined,
    ...(previous === undefined ? {} : { previous }),
    ...(next === undefined ? {} : { next }),
    data,
    ...(rest === undefined ? {} : { rest }),
  };
}

/** Orders keys as SQLite does: integers by value, texts by their bytes, ties by id. */
export function compareKeys(a: PageKey, b: PageKey): number {
  if (a.value !== b.value) return isBefore(a.value, b.value) ? -1 : 1;
  const [left, right] = [a.tie ?? 0n, b.tie ?? 0n];
  return left === right ? 0 : left < right ? -1 : 1;
}

function isBefore(a: bigint | string, b: bigint | string): boolean {
  if (typeof a !== "string" || typeof b !== "string") return BigInt(a) < BigInt(b);
  return Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0;
}

const opposite = (order: Order): Order => (order === "asc" ? "desc" : "asc");
