import { asc, desc, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { present } from "#platform/assert.ts";
import { type Page, pageOf, type Scan, scanOf } from "#platform/paging/pagination.ts";
import { type Order, type PageKey, type PageQuery } from "#platform/paging/query.ts";
import { fromMicros } from "#platform/time.ts";

/** A column that rows are listed by. Together with the tie, where there is one, it tells any two rows apart. */
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
  /** Leaves out what lies before the page; undefined on a first page. */
  readonly where: SQL | undefined;
  readonly orderBy: readonly SQL[];
  readonly limit: number;
  readonly offset: number;
}

/** An entity that is listed. */
export interface ListTable<Row> {
  /** The columns that it can be sorted by, under the names that cursors use. */
  readonly sort: Readonly<Record<string, ListColumn<Row>>>;
  /** Reads rows of the list; what SQL knows of its filter is in the statement. */
  readonly read: (scan: RowScan) => Promise<Row[]>;
  /** Decides the tests that SQL cannot; if it is absent, every row matches. */
  readonly matches?: (row: Row) => boolean;
}

/** Most rows that one query of a filtered list reads, unless the page is larger. */
const SCAN_ROWS_MAX = 500;
/** Most queries for one page: they read some 5,000 rows. */
const SCAN_QUERIES_MAX = 15;

/**
 * A page of a list in D1, in both directions by keys: rows that are written meanwhile shift nothing, so that a walk shows
 * each row once. Where `matches` decides, the table is read in growing chunks until the page is full, by `SCAN_QUERIES_MAX`
 * queries at most: a page that is not full by then ends early, may be without any row, and has a cursor that goes on.
 */
export async function listPage<Row>(
  query: PageQuery,
  { sort, read, matches = () => true }: ListTable<Row>,
): Promise<Page<Row>> {
  const key = present(sort[query.column], "cursors and parameters name a column of the list");
  const { keyOf } = key;
  const scan = scanOf(query);
  const found: Row[] = [];
  let { bound, limit, offset } = scan;
  for (let queries = 0; queries < SCAN_QUERIES_MAX; queries++) {
    const orderBy = orderOf(key, scan.order);
    const rows = await read({ where: boundOf(key, scan.order, bound), orderBy, limit, offset });
    found.push(...rows.filter(matches));
    const last = rows.at(-1);
    if (found.length >= scan.limit || last === undefined || rows.length < limit) {
      return pageOf(query, found.slice(0, scan.limit), { keyOf });
    }
    bound = { key: keyOf(last), inclusive: false };
    offset = 0;
    limit = Math.max(scan.limit, Math.min(limit * 2, SCAN_ROWS_MAX));
  }
  return pageOf(query, found, { keyOf, readTo: bound?.key });
}

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

/** A value as the table holds it. Ids of D1 are far below the numbers that lose digits. */
function valueOf({ type }: ListColumn<never>, { value }: PageKey): string | number {
  if (type === "text") return String(value);
  return type === "date" ? fromMicros(BigInt(value)) : Number(value);
}
