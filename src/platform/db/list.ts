import { and, asc, desc, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { toCondition } from "./filter-sql.ts";
import type { FilterKeys } from "./keys.ts";
import { present } from "#platform/assert.ts";
import { type Page, pageOf, type Scan, scanOf } from "#platform/paging/pagination.ts";
import { type Order, type PageKey, type PageQuery } from "#platform/paging/query.ts";
import { fromMicros } from "#platform/time.ts";

/** A sort column of a list. The column, together with the tie if there is one, tells any two rows apart. */
export interface ListColumn<Row> {
  readonly column: SQLWrapper;
  /** Values of a date are timestamps in the table and microseconds in cursors. */
  readonly type: "integer" | "text" | "date";
  /** The integer id that orders rows of equal values. */
  readonly tie?: SQLWrapper;
  readonly keyOf: (row: Row) => PageKey;
}

/** Selects and orders the rows that are read. */
export interface RowScan {
  /** The filter, and the condition that skips the rows before the page; undefined on a first page without a filter. */
  readonly where: SQL | undefined;
  readonly orderBy: readonly SQL[];
  readonly limit: number;
  readonly offset: number;
}

/** The filter keys and sort columns of an entity's list. */
export interface ListTable<Row> {
  /** The keys that filters may test; without any, no filter is accepted. */
  readonly keys?: FilterKeys;
  /** The sort columns of the entity, under the names that cursors use. */
  readonly sort: Readonly<Record<string, ListColumn<Row>>>;
}

export interface List<Row> extends ListTable<Row> {
  /** Reads rows of the list. */
  readonly read: (scan: RowScan) => Promise<Row[]>;
  /** Most rows of the page, at least one, from those that were read: for rows that may be so long that a page ends early. */
  readonly keptMax?: (rows: readonly Row[]) => number;
}

/**
 * Reads a page of a list in D1 by keyset pagination, in both directions (the seek method of M. Winand, "SQL Performance Explained", 2012):
 * concurrent writes shift no rows, so that a walk shows each row once. Throws `VALIDATION` for a filter that the keys do not allow. An
 * example of a list:
 *
 *     const POOLS: ListTable<Pool> = {
 *       keys: {
 *         name: { type: "text", column: pools.name },
 *         created_at: { type: "date", column: pools.createdAt },
 *         metadata: { type: "metadata", column: pools.metadata },
 *       },
 *       sort: { id: { type: "integer", column: pools.id, keyOf: ({ id }) => ({ value: BigInt(id) }) } },
 *     };
 *
 *     listPage(query, {
 *       ...POOLS,
 *       read: ({ where, orderBy, limit, offset }) =>
 *         db.select().from(pools).where(where).orderBy(...orderBy).limit(limit).offset(offset),
 *     });
 *
 * The types of keys are explained in `keys.ts`. `query` comes from `toPageQuery`, whose rules name the same sort columns. A condition of
 * the module itself is joined with `where`, and may have some ten parameters. A filter that no index serves reads the table to its end, or
 * until the page is full; frequent filters need an index.
 */
export async function listPage<Row>(
  query: PageQuery,
  { keys = {}, sort, read, keptMax }: List<Row>,
): Promise<Page<Row>> {
  const key = present(sort[query.column], "cursors and parameters name a column of the list");
  const { order, bound, limit, offset } = scanOf(query);
  const where = and(toCondition(keys, query.where), boundOf(key, order, bound));
  const rows = await read({ where, orderBy: orderOf(key, order), limit, offset });
  return pageOf(query, rows, {
    keyOf: key.keyOf,
    ...(keptMax === undefined ? {} : { keptMax: keptMax(rows) }),
  });
}

/**
 * The condition that a scan selects a row, for a table whose index covers all filters of the scan. The subquery finds the keys of the rows
 * from the index alone. The caller orders the rows as the scan says.
 */
export const isSelected = (key: SQLiteColumn, { where, orderBy, limit, offset }: RowScan): SQL =>
  sql`${key} IN (
    SELECT ${key} FROM ${key.table} WHERE ${where ?? sql`TRUE`}
    ORDER BY ${sql.join([...orderBy], sql`, `)} LIMIT ${limit} OFFSET ${offset})`;

function orderOf({ column, tie }: ListColumn<never>, order: Order): SQL[] {
  const direction = order === "asc" ? asc : desc;
  return tie === undefined ? [direction(column)] : [direction(column), direction(tie)];
}

function boundOf(
  key: ListColumn<never>,
  order: Order,
  bound: Scan["bound"] | undefined,
): SQL | undefined {
  if (bound === undefined) return undefined;
  const { column, tie } = key;
  const beyond = sql.raw(`${order === "asc" ? ">" : "<"}${bound.inclusive ? "=" : ""}`);
  const value = valueOf(key, bound.key);
  if (tie === undefined) return sql`${column} ${beyond} ${value}`;
  return sql`(${column}, ${tie}) ${beyond} (${value}, ${Number(bound.key.tie ?? 0n)})`;
}

/** A value in the form in which the table stores it. Ids of D1 are far below 2^53. */
function valueOf({ type }: ListColumn<never>, { value }: PageKey): string | number {
  if (type === "text") return String(value);
  return type === "date" ? fromMicros(BigInt(value)) : Number(value);
}
