import { mergeStreams } from "./merge.ts";
import type { Order } from "#platform/paging/pagination.ts";
import type { Sql, SqlValue } from "#platform/sql/sql.ts";

/** Ids from one to another, both included; none if `from` is the larger. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export const ALL_IDS: Span = { from: 0, to: Number.MAX_SAFE_INTEGER };
export const NO_IDS: Span = { from: 0, to: -1 };

export const isEmpty = ({ from, to }: Span): boolean => from > to;

export const intersection = (a: Span, b: Span): Span => ({
  from: Math.max(a.from, b.from),
  to: Math.min(a.to, b.to),
});

/** What is left of a span behind an id. */
export const behind = (span: Span, order: Order, id: number): Span =>
  order === "asc" ? { from: id + 1, to: span.to } : { from: span.from, to: id - 1 };

export const compareIds = (order: Order): ((a: number, b: number) => number) =>
  order === "asc" ? (a, b) => a - b : (a, b) => b - a;

/** How the ids of a path are read. */
export interface Reading {
  readonly span: Span;
  readonly order: Order;
  /** How many are wanted at first: more are read in growing steps. */
  readonly batch: number;
  /** Whether many rows were tried before, so that it is known that few match. */
  readonly isRest?: boolean | undefined;
}

/** A way to the transactions that a condition allows, and perhaps to some others: their ids, by an index. */
export interface IdPath {
  /** Whether an index gives the ids in order. Otherwise all entries are read to find the next ones. */
  readonly isOrdered: boolean;
  /** Their ids in order, each once. */
  follow(reading: Reading): Generator<number>;
  /** All their ids within a span in any order, each at least once. */
  scan(span: Span): Generator<number>;
  /** About how many entries it has in a span, at most `max`, which bounds what is read to tell. */
  count(span: Span, max: number): number;
  /** How many ids it has in a span; undefined where no index tells. */
  size(span: Span): number | undefined;
  /** The same path, in order if its entries are few. */
  settled(): IdPath;
  /** About how many rows can be read in the time that its first ids take; of a path in order, 0. */
  effort(): number;
}

/** Entries of an index, as SQL; the texts are constants, as each is prepared once and kept. */
export interface Entries {
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
export const FEW_ENTRIES = 500;
const ORDERED_BATCH_MAX = 2000;
const UNORDERED_BATCH_MAX = 50_000;
/** Entries that are read at a time, at first, where all are read. */
const SCAN_BATCH = 10_000;
/** Entries that are passed over in the time of one row, and how many are counted to tell. */
const ENTRIES_PER_ROW = 25;
const EFFORT_ENTRIES_MAX = 50_000;

/** The entries of one range of an index. */
export class EntryPath implements IdPath {
  readonly #sql: Sql;
  readonly #entries: Entries;
  /** All ids, out of order, once it is known that they are few. */
  #few: readonly number[] | undefined;

  constructor(sql: Sql, entries: Entries) {
    this.#sql = sql;
    this.#entries = entries;
  }

  get isOrdered(): boolean {
    return this.#entries.isOrdered;
  }

  *follow({ span, order, batch }: Reading): Generator<number> {
    const growth = this.isOrdered ? 2 : 8;
    const most = this.isOrdered ? ORDERED_BATCH_MAX : UNORDERED_BATCH_MAX;
    let limit = this.isOrdered ? batch : Math.max(batch, FEW_ENTRIES);
    for (let rest = span; !isEmpty(rest); limit = Math.max(limit, Math.min(limit * growth, most))) {
      const ids = this.#nearest(rest, order, limit);
      yield* distinct(ids);
      const last = ids.at(-1);
      if (last === undefined || ids.length < limit) return;
      rest = behind(rest, order, last);
    }
  }

  scan(span: Span): Generator<number> {
    return this.follow({ span, order: "asc", batch: SCAN_BATCH });
  }

  /** Out of order, the entries of a span are found no faster than all of them. */
  count(span: Span, max: number): number {
    const { isOrdered, isDense = false } = this.#entries;
    if (isDense) return Math.max(0, Math.min(span.to - span.from + 1, max));
    if (isOrdered) return this.#count(span, max);
    if (this.#few === undefined && max > FEW_ENTRIES + 1) return this.#count(ALL_IDS, max);
    return Math.min(max, this.#readFew(max).length);
  }

  size(span: Span): number | undefined {
    return this.#entries.mayRepeat === true ? undefined : this.#count(span);
  }

  settled(): IdPath {
    if (this.isOrdered) return this;
    const ids = this.#readFew(FEW_ENTRIES + 1);
    return ids.length > FEW_ENTRIES ? this : new FixedPath(ids);
  }

  effort(): number {
    return this.isOrdered ? 0 : this.count(ALL_IDS, EFFORT_ENTRIES_MAX) / ENTRIES_PER_ROW;
  }

  /** Where few entries are left of a long range, finding them takes time: they are kept. */
  #readFew(max: number): readonly number[] {
    if (this.#few !== undefined) return this.#few;
    const { from, column, bindings } = this.#entries;
    const rows = this.#sql.all<{ id: number }>(
      `SELECT ${column} AS id ${from} LIMIT ?`,
      ...bindings,
      max,
    );
    const ids = rows.map(({ id }) => id);
    if (ids.length < max) this.#few = ids;
    return ids;
  }

  #count({ from: low, to: high }: Span, max = Number.MAX_SAFE_INTEGER): number {
    const { from, column, bindings } = this.#entries;
    const [counted] = this.#sql.all<{ count: number }>(
      `SELECT count(*) AS count FROM (SELECT 1 ${from} AND ${column} >= ? AND ${column} <= ? LIMIT ?)`,
      ...bindings,
      low,
      high,
      max,
    );
    return counted?.count ?? 0;
  }

  #nearest({ from: low, to: high }: Span, order: Order, limit: number): number[] {
    const { from, column, bindings } = this.#entries;
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
export class FixedPath implements IdPath {
  readonly isOrdered = true;
  readonly #ids: readonly number[];

  constructor(ids: Iterable<number>) {
    this.#ids = [...new Set(ids)].toSorted((a, b) => a - b);
  }

  *follow({ span, order }: Reading): Generator<number> {
    const ids = this.#within(span);
    yield* order === "asc" ? ids : ids.toReversed();
  }

  *scan(span: Span): Generator<number> {
    yield* this.#within(span);
  }

  count(span: Span, max: number): number {
    return Math.min(max, this.size(span));
  }

  size(span: Span): number {
    return this.#within(span).length;
  }

  settled(): IdPath {
    return this;
  }

  effort(): number {
    return 0;
  }

  #within({ from, to }: Span): readonly number[] {
    return this.#ids.filter((id) => id >= from && id <= to);
  }
}

/** What any of several paths leads to. */
export class UnionPath implements IdPath {
  readonly #paths: readonly IdPath[];
  readonly #sizeOf: ((span: Span) => number | undefined) | undefined;

  /** Another way to tell how many ids it has may be given. */
  constructor(paths: readonly IdPath[], sizeOf?: (span: Span) => number | undefined) {
    this.#paths = paths;
    this.#sizeOf = sizeOf;
  }

  get isOrdered(): boolean {
    return this.#paths.every(({ isOrdered }) => isOrdered);
  }

  follow(reading: Reading): Generator<number> {
    const streams = this.#paths.map((path) => ({ items: path.follow(reading) }));
    return distinct(mergeStreams(streams, compareIds(reading.order)));
  }

  *scan(span: Span): Generator<number> {
    for (const path of this.#paths) yield* path.scan(span);
  }

  count(span: Span, max: number): number {
    let count = 0;
    for (const path of this.#paths) {
      if (count >= max) break;
      count += path.count(span, max - count);
    }
    return count;
  }

  size(span: Span): number | undefined {
    return this.#sizeOf?.(span);
  }

  settled(): IdPath {
    return this.isOrdered
      ? this
      : new UnionPath(
          this.#paths.map((path) => path.settled()),
          this.#sizeOf,
        );
  }

  effort(): number {
    return this.#paths.reduce((sum, path) => sum + path.effort(), 0);
  }
}

/** What a path leads to within a span. */
export class WithinPath implements IdPath {
  readonly #path: IdPath;
  readonly #span: Span;

  constructor(path: IdPath, span: Span) {
    this.#path = path;
    this.#span = span;
  }

  get isOrdered(): boolean {
    return this.#path.isOrdered;
  }

  follow(reading: Reading): Generator<number> {
    return this.#path.follow({ ...reading, span: intersection(reading.span, this.#span) });
  }

  scan(span: Span): Generator<number> {
    return this.#path.scan(intersection(span, this.#span));
  }

  count(span: Span, max: number): number {
    return this.#path.count(intersection(span, this.#span), max);
  }

  size(span: Span): number | undefined {
    return this.#path.size(intersection(span, this.#span));
  }

  settled(): IdPath {
    return new WithinPath(this.#path.settled(), this.#span);
  }

  effort(): number {
    return this.#path.effort();
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
const PATHS_MAX = 20;

/** The path with the fewest entries in a span, or the first where none has few. */
export function shortest(paths: readonly IdPath[], span: Span): IdPath | undefined {
  const some = paths.slice(0, PATHS_MAX);
  if (some.length < 2) return some[0];
  for (const most of COUNTS) {
    const found = shorterThan(most, some, span);
    if (found !== undefined) return found;
  }
  return some[0];
}

/** A path with at most so many entries in a span. Those in order are counted first, as that reads no more than they have. */
export function shorterThan(
  most: number,
  paths: readonly IdPath[],
  span: Span,
): IdPath | undefined {
  const some = paths.slice(0, PATHS_MAX);
  const isShort = (path: IdPath): boolean => path.count(span, most + 1) <= most;
  return (
    some.find((path) => path.isOrdered && isShort(path)) ??
    some.find((path) => !path.isOrdered && isShort(path))
  );
}
