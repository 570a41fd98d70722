import type { NumberInterval } from "#ledger-engine/rules/filters/intervals.ts";
import { countWithin } from "#ledger-engine/rules/limits.ts";
import { lastNotAbove, type RisingRow } from "#ledger-engine/rules/rising-search.ts";
import type { EntryHead } from "#ledger-engine/rules/types.ts";
import { LOG_TYPES, nameOfType } from "#ledger-engine/storage/payload.ts";
import { parseColumns } from "#platform/json.ts";
import type { Order } from "#platform/paging/query.ts";
import { first, type Sql, type SqlRow, type SqlValue } from "#platform/sql/sql.ts";
import { fromMicros } from "#platform/time.ts";

/*
 * The log is in two tables: `tx` has the entries that made a transaction, by the id of the transaction, and `entry` has
 * the others, by their own ids. Ids of entries and transactions increase together, so that a range of entries is a range of
 * each table:
 *
 *     log id    1     2     3     4     5     6
 *     tx        1     2           3     4            (by id of the transaction, found by a search in the column `log`)
 *     entry                 3                 6      (by id of the entry)
 *
 *     entries 2…5  =  tx 2…4  ∪  entry 2…5, sorted by log id
 */

/** A reference to an entry: in the row `tx` of the table `tx`, or in `entry` if `tx` is null. */
export type LogRef = { id: number; tx: number | null };

/** The last entry of the log; undefined if the log is empty. */
export function readHead(sql: Sql): { id: number; date: number; hash: string } | undefined {
  return sql
    .all<{ id: number; date: number; hash: string }>(
      `SELECT * FROM (SELECT log AS id, date, hex(hash) AS hash FROM tx ORDER BY tx.id DESC LIMIT 1)
        UNION ALL SELECT * FROM (SELECT id, date, hex(hash) AS hash FROM entry ORDER BY id DESC LIMIT 1)`,
    )
    .toSorted((a, b) => b.id - a.id)[0];
}

/** The ids, dates and types of the first entries of a range. */
export function readHeads(sql: Sql, range: NumberInterval, limit: number): EntryHead[] {
  const columns = ", date, type";
  const rows = entriesIn<LogRef & { date: number; type: number }>(sql, { columns, range, limit });
  return rows.map(({ id, date, type }) => ({ id, date: fromMicros(date), type: nameOfType(type) }));
}

/** The reference to an entry; undefined if the entry does not exist. */
export function findRef(sql: Sql, logId: number): LogRef | undefined {
  const last = lastRowTo(sql, logId);
  if (last?.value === logId) return { id: logId, tx: last.key };
  return sql.all<LogRef>("SELECT id, NULL AS tx FROM entry WHERE id = ?", logId)[0];
}

/** The references to entries. Entries that do not exist are left out. */
export function refsOf(sql: Sql, logIds: readonly number[]): LogRef[] {
  if (logIds.length === 0) return [];
  const [from, to] = [Math.min(...logIds), Math.max(...logIds)];
  if (to - from >= SPARSE_MIN * logIds.length) {
    return logIds.flatMap((id) => findRef(sql, id) ?? []);
  }
  const all = entriesIn<LogRef>(sql, { columns: "", range: { from, to } });
  const byId = new Map(all.map((ref) => [ref.id, ref]));
  return logIds.flatMap((id) => byId.get(id) ?? []);
}

/** Entries are looked up one by one if their range is at least this many times as long as their number; else the range is read. */
const SPARSE_MIN = 4;

/** The form of rows that come as one text, because handing over each column of each row takes longer than finding the rows. */
export interface Packing<Row> {
  /** The columns of a packed row, in the order of its JSON list. */
  readonly columns: string;
  readonly toRow: (packed: readonly (string | number | null)[]) => Row;
}

/** A read of a range of entries from both tables. */
export interface RangeRead<Row> {
  /** Columns that both tables have, with a comma before each. */
  readonly columns: string;
  /** The values of parameters in `columns`. */
  readonly bindings?: readonly SqlValue[];
  /** Both ends are included, and either may be infinite. */
  readonly range: NumberInterval;
  /** The type of the entries; undefined for all types. */
  readonly type?: number | undefined;
  readonly order?: Order;
  readonly limit?: number;
  /** Only for rows that together have less than 2 MB, the largest text of SQL. */
  readonly packing?: Packing<Row> | undefined;
}

/** The first entries of a range, in order. */
export function entriesIn<Row extends SqlRow & LogRef>(sql: Sql, read: RangeRead<Row>): Row[] {
  const { order = "asc", limit = Number.MAX_SAFE_INTEGER, packing } = read;
  return inOrder(readParts(sql, partsIn(sql, read), packing), order).slice(0, limit);
}

/** The value of a numeric SQL expression for each of the first entries of a range, in order. The numbers come as one text. */
export function numbersIn(
  sql: Sql,
  expression: string,
  { range, limit }: { readonly range: NumberInterval; readonly limit: number },
): number[] {
  const parts = partsIn(sql, { columns: `, ${expression} AS number`, range, limit });
  if (parts.length === 0) return [];
  const { numbers } = first(
    sql.all<{ numbers: string | null }>(
      `SELECT group_concat(number) AS numbers FROM (SELECT number FROM (${unionOf(parts)}) ORDER BY id LIMIT ? + 0)`,
      ...bindingsOf(parts),
      limit,
    ),
  );
  return numbers === null ? [] : numbers.split(",").map(Number);
}

export interface RangeLimits {
  readonly countMax: number;
  /** A limit on the bytes of the stored payloads, and on the bytes of the events that the entries become. */
  readonly bytesMax: number;
}

/**
 * The number of first entries of a range that the limits allow, by the SQL expression `size`. It is computed before payloads are read,
 * because payloads may be large.
 */
export function countFirst(
  sql: Sql,
  size: string,
  { range, countMax, bytesMax }: RangeLimits & { readonly range: NumberInterval },
): number {
  const sizes = numbersIn(sql, size, { range, limit: countMax });
  return countWithin(sizes, bytesMax, (bytes) => bytes);
}

/** The selects, of one or both tables, that read the first entries of a range. */
function partsIn<Row>(sql: Sql, read: RangeRead<Row>): Part[] {
  const { columns, bindings = [], range, type } = read;
  const { order = "asc", limit = Number.MAX_SAFE_INTEGER } = read;
  const [from, to] = [clamped(range.from), clamped(range.to)];
  const txs = isOf("tx", type) ? transactionsIn(sql, { from, to }) : undefined;
  const parts: Part[] = [];
  const add = (source: string, key: string, ids: NumberInterval): void => {
    const select = `${source} WHERE ${key} >= ? AND ${key} <= ? ${ofType(type)} ORDER BY ${key} ${order} LIMIT ? + 0`;
    parts.push({ select, bindings: [...bindings, ids.from, ids.to, limit] });
  };
  if (txs !== undefined) add(fromTx(columns), "tx.id", txs);
  const isFound = txs !== undefined && from === to;
  if (!isFound && isOf("entry", type)) add(fromEntry(columns), "id", { from, to });
  return parts;
}

/** The range of the transactions that the entries of a range created. It may be empty. */
function transactionsIn(sql: Sql, { from, to }: NumberInterval): NumberInterval | undefined {
  if (from === to) {
    const row = lastRowTo(sql, to);
    return row?.value === to ? { from: row.key, to: row.key } : undefined;
  }
  const last = to === Number.MAX_SAFE_INTEGER ? to : lastRowTo(sql, to)?.key;
  if (last === undefined) return undefined;
  const before = from <= 0 ? undefined : lastRowTo(sql, from - 1);
  return { from: before === undefined ? 0 : before.key + 1, to: last };
}

/** Whether a table holds entries of a type. */
function isOf(table: "tx" | "entry", type: number | undefined): boolean {
  if (type === undefined) return true;
  const isCreated = type === LOG_TYPES.NEW_TRANSACTION || type === LOG_TYPES.REVERTED_TRANSACTION;
  return isCreated === (table === "tx");
}

/** The condition on the type. SQLite uses the partial index of the rarer types only if the index's condition is repeated. */
const ofType = (type: number | undefined): string =>
  type === undefined ? "" : `AND type = ${type} ${type === 0 ? "" : "AND type <> 0"}`;

/** The entries of references, in no particular order. */
export function entriesOf<Row extends SqlRow & LogRef>(
  sql: Sql,
  columns: string,
  refs: readonly LogRef[],
): Row[] {
  const txs = refs.flatMap(({ tx }) => tx ?? []);
  const others = refs.flatMap(({ id, tx }) => (tx === null ? id : []));
  const part = (source: string, ids: readonly number[], key: string): Part[] =>
    ids.length === 0
      ? []
      : [
          {
            select: `${source} WHERE ${key} IN (SELECT value FROM json_each(?))`,
            bindings: [`[${ids.join(",")}]`],
          },
        ];
  const parts = [...part(fromTx(columns), txs, "tx.id"), ...part(fromEntry(columns), others, "id")];
  return readParts<Row>(sql, parts);
}

const fromTx = (columns: string): string => `SELECT log AS id, id AS tx${columns} FROM tx`;
const fromEntry = (columns: string): string => `SELECT id, NULL AS tx${columns} FROM entry`;

/** A select from one of the two tables. */
interface Part {
  readonly select: string;
  readonly bindings: readonly SqlValue[];
}

/** Reads all parts with one statement. */
function readParts<Row extends SqlRow>(
  sql: Sql,
  parts: readonly Part[],
  packing?: Packing<Row>,
): Row[] {
  if (parts.length === 0) return [];
  const [select, bindings] = [unionOf(parts), bindingsOf(parts)];
  if (packing === undefined) return sql.all<Row>(select, ...bindings);
  const statement = `SELECT json_group_array(json_array(${packing.columns})) AS rows FROM (${select})`;
  const { rows } = first(sql.all<{ rows: string }>(statement, ...bindings));
  return (parseColumns(rows) as (string | number | null)[][]).map(packing.toRow); // the columns of `packing`
}

const unionOf = (parts: readonly Part[]): string =>
  parts.map(({ select }) => `SELECT * FROM (${select})`).join(" UNION ALL ");

const bindingsOf = (parts: readonly Part[]): SqlValue[] =>
  parts.flatMap(({ bindings }) => bindings);

const inOrder = <Row extends LogRef>(rows: readonly Row[], order: Order = "asc"): Row[] =>
  rows.toSorted((a, b) => (order === "asc" ? a.id - b.id : b.id - a.id));

const clamped = (id: number): number => Math.min(Math.max(id, -1), Number.MAX_SAFE_INTEGER);

type Rising = { key: number; value: number };

const SELECT_RISING = "SELECT id AS key, log AS value FROM tx";

/** Stands for a row before the first one. No id is negative. */
const BEFORE_ALL: RisingRow = { key: -1, value: -1 };

/** The last transaction that the log entry or an earlier one created, as `key`, and its entry, as `value`; undefined if none. */
function lastRowTo(sql: Sql, logId: number): RisingRow | undefined {
  const row = lastRisingTo(sql, logId);
  return row.key === BEFORE_ALL.key ? undefined : row;
}

function lastRisingTo(sql: Sql, logId: number): RisingRow {
  // If every entry has made a transaction, the ids of entries and transactions are equal.
  const near = rowAt(sql, logId);
  if (near.value === logId) return near;
  const [low, high] = near.value < logId ? [near, rowAt(sql)] : [BEFORE_ALL, near];
  return high.value <= logId ? high : lastNotAbove(logId, { low, high }, (key) => rowAt(sql, key));
}

/** The last row up to a key, or the last row of all. */
const rowAt = (sql: Sql, key = Number.MAX_SAFE_INTEGER): RisingRow =>
  sql.all<Rising>(`${SELECT_RISING} WHERE tx.id <= ? ORDER BY tx.id DESC LIMIT 1`, key)[0] ??
  BEFORE_ALL;
