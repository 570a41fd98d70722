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
 * the others, by their own ids. Ids of entries and transactions increase together.
 */

/** Where an entry is: in the row of its transaction or, where there is none, in its own. */
export type LogRef = { id: number; tx: number | null };

/** The last entry of the log; undefined where there is none. */
export function readHead(sql: Sql): { id: number; date: number; hash: string } | undefined {
  return sql
    .all<{ id: number; date: number; hash: string }>(
      `SELECT * FROM (SELECT log AS id, date, hex(hash) AS hash FROM tx ORDER BY tx.id DESC LIMIT 1)
        UNION ALL SELECT * FROM (SELECT id, date, hex(hash) AS hash FROM entry ORDER BY id DESC LIMIT 1)`,
    )
    .toSorted((a, b) => b.id - a.id)[0];
}

/** What the first entries of a range are, without what they say. */
export function readHeads(sql: Sql, range: NumberInterval, limit: number): EntryHead[] {
  const columns = ", date, type";
  const rows = entriesIn<LogRef & { date: number; type: number }>(sql, { columns, range, limit });
  return rows.map(({ id, date, type }) => ({ id, date: fromMicros(date), type: nameOfType(type) }));
}

/** Where an entry is; undefined where there is none. */
export function findRef(sql: Sql, logId: number): LogRef | undefined {
  const last = lastRowTo(sql, logId);
  if (last?.value === logId) return { id: logId, tx: last.key };
  return sql.all<LogRef>("SELECT id, NULL AS tx FROM entry WHERE id = ?", logId)[0];
}

/** Where entries are. Those that do not exist are left out. */
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

/** Up to this many times as many entries as are wanted, all entries of a range are read. */
const SPARSE_MIN = 4;

/** How rows come as one text: to hand over each column of each row takes longer than to find them. */
export interface Packing<Row> {
  /** The columns of a row, as they stand in a JSON list. */
  readonly columns: string;
  readonly toRow: (packed: readonly (string | number | null)[]) => Row;
}

/** The columns that both tables have, from which a read takes its own. */
export interface RangeRead<Row> {
  /** Columns with a comma before each, and the values of the parameters among them. */
  readonly columns: string;
  readonly bindings?: readonly SqlValue[];
  /** Both ends are included, and either may be infinite. */
  readonly range: NumberInterval;
  /** The type of the entries; undefined for all. */
  readonly type?: number | undefined;
  readonly order?: Order;
  readonly limit?: number;
  /** Of rows that together have less than SQL's largest text, which is 2 MB. */
  readonly packing?: Packing<Row> | undefined;
}

/** The first entries of a range, in order. */
export function entriesIn<Row extends SqlRow & LogRef>(sql: Sql, read: RangeRead<Row>): Row[] {
  const { order = "asc", limit = Number.MAX_SAFE_INTEGER, packing } = read;
  return inOrder(readParts(sql, partsIn(sql, read), packing), order).slice(0, limit);
}

/** What an expression gives for each of the first entries of a range, in order. The numbers come as one text. */
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
  /** The limit on the stored payloads, and on the events that the entries become. */
  readonly bytesMax: number;
}

/**
 * How many of the first entries of a range the limits allow, where an expression gives their sizes. Payloads may be large, so that
 * this is known before they are read.
 */
export function countFirst(
  sql: Sql,
  size: string,
  { range, countMax, bytesMax }: RangeLimits & { readonly range: NumberInterval },
): number {
  const sizes = numbersIn(sql, size, { range, limit: countMax });
  return countWithin(sizes, bytesMax, (bytes) => bytes);
}

/** The parts that read the first entries of a range. */
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

/** The transactions that the entries of a range created. */
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

/** Whether a table has entries of a type. */
function isOf(table: "tx" | "entry", type: number | undefined): boolean {
  if (type === undefined) return true;
  const isCreated = type === LOG_TYPES.NEW_TRANSACTION || type === LOG_TYPES.REVERTED_TRANSACTION;
  return isCreated === (table === "tx");
}

/** The index of the rarer types is partial, so that its condition is repeated. */
const ofType = (type: number | undefined): string =>
  type === undefined ? "" : `AND type = ${type} ${type === 0 ? "" : "AND type <> 0"}`;

/** The entries that references lead to, in no particular order. */
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

/** What a statement reads of one of the tables. */
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
  return (parseColumns(rows) as (string | number | null)[][]).map(packing.toRow); // as the statement packs them
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

/** What stands for a row before the first one: no id is negative. */
const BEFORE_ALL: RisingRow = { key: -1, value: -1 };

/**
 * The last transaction that this log entry or an earlier one created, and the id of its entry; undefined where there is
 * none.
 */
function lastRowTo(sql: Sql, logId: number): RisingRow | undefined {
  const row = lastRisingTo(sql, logId);
  return row.key === BEFORE_ALL.key ? undefined : row;
}

function lastRisingTo(sql: Sql, logId: number): RisingRow {
  // Where every entry has made a transaction, the ids are the same.
  const near = rowAt(sql, logId);
  if (near.value === logId) return near;
  const [low, high] = near.value < logId ? [near, rowAt(sql)] : [BEFORE_ALL, near];
  return high.value <= logId ? high : lastNotAbove(logId, { low, high }, (key) => rowAt(sql, key));
}

/** The last row up to a key, or of all rows. */
const rowAt = (sql: Sql, key = Number.MAX_SAFE_INTEGER): RisingRow =>
  sql.all<Rising>(`${SELECT_RISING} WHERE tx.id <= ? ORDER BY tx.id DESC LIMIT 1`, key)[0] ??
  BEFORE_ALL;
