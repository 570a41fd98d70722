import { Buffer } from "node:buffer";
// A namespace import, so that a bundle holds what is used and not all languages of the messages.
import * as z from "zod";
import { AppError } from "#platform/errors.ts";
import { toFilterText } from "#platform/filter/filter.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import {
  formatTimestamp,
  MICROS_MAX,
  MICROS_MIN,
  parseTimestamp,
  type Timestamp,
} from "#platform/time.ts";

/**
 * Cursor pagination, in the encoding of the Formance Stack: base64url without padding of a JSON object that holds the
 * whole query, so that a walk needs nothing else. A column cursor carries the key of the page's first row; rows with
 * equal keys are told apart by their id, in the extra member `ties`.
 */
export type Order = "asc" | "desc";

/** What a page starts from: the value of the sort column and, where that is not unique, the id of the row. */
export interface PageKey {
  readonly value: bigint | string;
  readonly tie?: bigint;
}

/** What a list shows, and as of when. */
export interface ListScope {
  /** Point in time, and origin of time. */
  readonly pit?: Timestamp;
  readonly oot?: Timestamp;
  /** A filter of the list language, as JSON text; see `query.ts`. */
  readonly where?: string;
  readonly expand?: readonly string[];
  /** What else the resource's lists take. */
  readonly options?: ListOptions;
}

export type ListOptions = Readonly<Record<string, string | number | boolean | null>>;

interface QueryBase extends ListScope {
  /** Names the list, so that the cursor of another one is refused. */
  readonly list?: string;
  readonly column: string;
  readonly order: Order;
  readonly pageSize: number;
}

/** A page that starts at a key. `bottom` is the key of the first row of the whole walk. */
export interface ColumnQuery extends QueryBase {
  readonly kind: "column";
  readonly bottom?: PageKey;
  readonly start?: PageKey;
  readonly reverse: boolean;
  /** How many rows of the page are still to be read, where others of it were read before. */
  readonly wanted?: number;
}

/** A page that starts after a number of rows. */
export interface OffsetQuery extends QueryBase {
  readonly kind: "offset";
  readonly offset: number;
}

export type PageQuery = ColumnQuery | OffsetQuery;

export interface Page<T> {
  readonly pageSize: number;
  readonly hasMore: boolean;
  readonly previous?: string;
  readonly next?: string;
  readonly data: readonly T[];
  /** Where to go on, if reading ended before the page was full; see `joinPages`. */
  readonly rest?: ColumnQuery;
}

/** How the rows of a page are read: in `order` from `bound`, at most `limit` of them. */
export interface Scan {
  readonly order: Order;
  readonly bound?: { readonly key: PageKey; readonly inclusive: boolean };
  readonly offset: number;
  readonly limit: number;
}

/** Longest cursor that is accepted, in characters: more than the longest filter takes. */
const CURSOR_LENGTH_MAX = 300_000;
/** Largest positions that are accepted: a 64-bit integer, and the end of the year 9999 in microseconds. */
const INTEGER_MAX = 9_223_372_036_854_775_807n;
/** Largest offset that is accepted, in rows. */
const OFFSET_MAX = 2_147_483_647;

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
  /** The page ends early, after so many rows. */
  readonly keptMax?: number;
  /**
   * Reading ended early, with fewer rows than the page has, at the row of this key. For pages that start at keys. The page
   * may be empty; it has a neighbour in the direction of reading all the same.
   */
  readonly readTo?: PageKey | undefined;
}

/** Makes the page of the rows that `scanOf(query)` gave, in the order in which they were read. */
export function pageOf<T>(query: PageQuery, rows: readonly T[], options: PageOptions<T>): Page<T> {
  const wanted = wantedOf(query);
  const keptMax = Math.min(wanted, options.keptMax ?? wanted);
  return query.kind === "offset"
    ? offsetPage(query, rows, keptMax)
    : columnPage(query, rows, { ...options, keptMax });
}

const wantedOf = (query: PageQuery): number =>
  (query.kind === "column" ? query.wanted : undefined) ?? query.pageSize;

/** One page of two parts of it, the second read where the first ended. */
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

/** A page of other items, with the same cursors. */
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
    // The page before starts beyond the row of its key, which is the last one of this page.
    const start = readTo ?? (rows.length > keptMax ? keyAt(rows, keptMax - 1, keyOf) : undefined);
    return page(query, kept.toReversed(), {
      previous: start === undefined ? undefined : at(true, start),
      next: at(false, query.start),
      rest: restOf(kept.length),
    });
  }
  // The next page starts with the row of its key, which then does not belong to this one.
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

export function encodeCursor(query: PageQuery): string {
  const common = {
    column: query.column,
    order: query.order === "asc" ? 0 : 1,
    pageSize: query.pageSize,
    filters: {
      pit: query.pit === undefined ? null : formatTimestamp(query.pit),
      oot: query.oot === undefined ? null : formatTimestamp(query.oot),
      qb: query.where === undefined ? null : parseJson(query.where),
      ...(query.expand === undefined || query.expand.length === 0 ? {} : { expand: query.expand }),
      opts: query.options ?? null,
    },
  };
  const position =
    query.kind === "offset"
      ? { offset: query.offset }
      : {
          bottom: query.bottom?.value ?? null,
          paginationID: query.start?.value ?? null,
          reverse: query.reverse,
          ...(query.bottom?.tie === undefined && query.start?.tie === undefined
            ? {}
            : { ties: [query.bottom?.tie ?? 0n, query.start?.tie ?? 0n] }),
        };
  const mark = query.list === undefined ? {} : { list: query.list };
  return Buffer.from(stringifyJson({ ...common, ...position, ...mark })).toString("base64url");
}

const BASE64URL = /^[A-Za-z0-9_-]+$/;
const Integer = z.union([z.int(), z.bigint()]).transform(BigInt);
const KeyValue = z.union([Integer, z.string()]).nullish();
const Moment = z
  .string()
  .nullish()
  .transform((text, context) => {
    if (text === null || text === undefined) return undefined;
    const moment = parseTimestamp(text);
    if (moment === undefined) context.addIssue("expected an RFC 3339 date");
    return moment;
  });
const CursorSchema = z.object({
  column: z.string(),
  order: z.union([z.literal(0), z.literal(1)]),
  pageSize: z.int().min(1),
  filters: z.object({
    pit: Moment,
    oot: Moment,
    qb: z.unknown().optional(),
    expand: z.array(z.string()).optional(),
    opts: z.record(z.string(), z.union([z.string(), z.int(), z.boolean(), z.null()])).nullish(),
  }),
  offset: z.int().min(0).max(OFFSET_MAX).nullish(),
  bottom: KeyValue,
  paginationID: KeyValue,
  reverse: z.boolean().optional(),
  ties: z.tuple([Integer, Integer]).optional(),
  list: z.string().optional(),
});

/** Sort columns and what their values are; dates are not unique, so that their cursors name the row, too. */
export type SortColumns = Readonly<Record<string, "integer" | "text" | "date">>;

/** What a resource's cursors may contain. */
export interface CursorRules {
  /** Name of the list. A cursor without a name is taken for one of this list. */
  readonly list?: string;
  readonly columns: SortColumns;
  /** The options of the list as they are where none is given; a cursor has the same, with values of the same types. */
  readonly options?: ListOptions;
  readonly pageSizeMax: number;
}

/** Decodes and checks a cursor. Throws `VALIDATION` unless it is one that `encodeCursor` could have made. */
export function decodeCursor(cursor: string, rules: CursorRules): PageQuery {
  const { column, order, pageSize, filters, offset, list, ...keys } = parseCursor(cursor);
  if (list !== undefined && list !== rules.list) throw invalidCursor("it belongs to another list");
  const type = Object.hasOwn(rules.columns, column) ? rules.columns[column] : undefined;
  if (type === undefined) throw invalidCursor("it belongs to another list");
  const common = {
    ...(rules.list === undefined ? {} : { list: rules.list }),
    column,
    order: order === 0 ? ("asc" as const) : ("desc" as const),
    pageSize: Math.min(pageSize, rules.pageSizeMax),
    ...scopeOf(filters, rules.options),
  };
  if (offset !== null && offset !== undefined) {
    // Only text columns are paged by offset, as on the reference server: a row count is no position among dates.
    if (type !== "text") throw invalidCursor("its sort column has no offsets");
    return { kind: "offset", ...common, offset };
  }
  const [bottomTie, startTie] = keys.ties ?? [];
  const bottom = toKey(keys.bottom, bottomTie, type);
  const start = toKey(keys.paginationID, startTie, type);
  return {
    kind: "column",
    ...common,
    reverse: keys.reverse ?? false,
    ...(bottom === undefined ? {} : { bottom }),
    ...(start === undefined ? {} : { start }),
  };
}

function scopeOf(
  { pit, oot, qb, expand, opts }: z.output<typeof CursorSchema>["filters"],
  standard: ListOptions | undefined,
): ListScope {
  const where = toFilterText(qb);
  const options = optionsOf(opts ?? {}, standard ?? {});
  return {
    ...(pit === undefined ? {} : { pit }),
    ...(oot === undefined ? {} : { oot }),
    ...(where === undefined ? {} : { where }),
    ...(expand === undefined ? {} : { expand }),
    ...(standard === undefined ? {} : { options }),
  };
}

function optionsOf(given: ListOptions, standard: ListOptions): ListOptions {
  for (const [name, value] of Object.entries(given)) {
    const known = Object.hasOwn(standard, name) ? standard[name] : undefined;
    if (typeof known !== typeof value) throw invalidCursor(`it has the option ${name}`);
  }
  return { ...standard, ...given };
}

function parseCursor(cursor: string): z.output<typeof CursorSchema> {
  if (cursor.length > CURSOR_LENGTH_MAX) throw invalidCursor("it is too long");
  if (!BASE64URL.test(cursor)) throw invalidCursor("it is not base64url");
  try {
    const bytes = Buffer.from(cursor, "base64url");
    return CursorSchema.parse(
      parseJson(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)),
    );
  } catch (error) {
    throw new AppError(
      "VALIDATION",
      "invalid 'cursor' query param: it is not a cursor of this server",
      {
        cause: error,
      },
    );
  }
}

function toKey(
  value: bigint | string | null | undefined,
  tie: bigint | undefined,
  type: SortColumns[string],
): PageKey | undefined {
  if (value === null || value === undefined) return undefined;
  if (type === "date" && tie === undefined) throw invalidCursor("it does not name a row");
  if (!isInRange(tie ?? 0n, "integer") || !isInRange(value, type)) {
    throw invalidCursor("its position is out of range");
  }
  if ((typeof value === "string") !== (type === "text")) {
    throw invalidCursor("its position does not fit the sort column");
  }
  return tie === undefined ? { value } : { value, tie };
}

function isInRange(value: bigint | string, type: SortColumns[string]): boolean {
  if (typeof value === "string") return true;
  if (type === "date") return value >= MICROS_MIN && value <= MICROS_MAX;
  return value >= -INTEGER_MAX && value <= INTEGER_MAX;
}

const invalidCursor = (why: string): AppError =>
  new AppError("VALIDATION", `invalid 'cursor' query param: ${why}`);
