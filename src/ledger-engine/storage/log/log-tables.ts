import type { NumberInterval } from "#ledger-engine/rules/filters/intervals.ts";
import { lastNotAbove, type RisingRow } from "#ledger-engine/rules/rising-search.ts";
import { LOG_TYPES } from "#ledger-engine/storage/payload.ts";
import type { Order } from "#platform/paging/query.ts";
import type { Sql, SqlRow } from "#platform/sql/sql.ts";

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

/** The id of the last transaction that this log entry or an earlier one created; -1 where there is none. */
export function lastTransactionOf(sql: Sql, logId: number): number {
  const [last] = sql.all<Rising>(`${SELECT_RISING} ORDER BY tx.id DESC LIMIT 1`);
  if (last === undefined) return -1;
  if (last.value <= logId) return last.key;
  return lastNotAbove(logId, { low: BEFORE_ALL, high: last }, (key) => rowAt(sql, key)).key;
}

/** Where an entry is; undefined where there is none. */
export function findRef(sql: Sql, logId: number): LogRef | undefined {
  const tx = lastTransactionOf(sql, logId);
  if (tx !== -1 && isOfEntry(sql, tx, logId)) return { id: logId, tx };
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

/** The columns that both tables have, from which a read takes its own. */
interface RangeRead {
  /** Names of columns, with a comma before each. */
  readonly columns: string;
  /** Both ends are included, and either may be infinite. */
  readonly range: NumberInterval;
  /** The type of the entries; undefined for all. */
  readonly type?: number | undefined;
  readonly order?: Order;
  readonly limit?: number;
}

/** The first entries of a range, in order. */
export function entriesIn<Row extends SqlRow & LogRef>(
  sql: Sql,
  { columns, range, type, order = "asc", limit = Number.MAX_SAFE_INTEGER }: RangeRead,
): Row[] {
  const [from, to] = [clamped(range.from), clamped(range.to)];
  const txs = isOf("tx", type) ? transactionsIn(sql, { from, to }) : undefined;
  const created =
    txs === undefined
      ? []
      : sql.all<Row>(
          `SELECT log AS id, id AS tx${columns} FROM tx
            WHERE tx.id >= ? AND tx.id <= ? ${ofType(type)} ORDER BY tx.id ${order} LIMIT ? + 0`,
          txs.from,
          txs.to,
          limit,
        );
  if (from === to && created.length > 0) return created;
  const others = isOf("entry", type)
    ? sql.all<Row>(
        `SELECT id, NULL AS tx${columns} FROM entry
          WHERE id >= ? AND id <= ? ${ofType(type)} ORDER BY id ${order} LIMIT ? + 0`,
        from,
        to,
        limit,
      )
    : [];
  if (others.length === 0) return created;
  return inOrder([...created, ...others], order).slice(0, limit);
}

/** The transactions that the entries of a range created. */
function transactionsIn(sql: Sql, { from, to }: NumberInterval): NumberInterval | undefined {
  const last = to === Number.MAX_SAFE_INTEGER ? to : lastTransactionOf(sql, to);
  if (last === -1) return undefined;
  // A range of a single entry needs no other search: if that transaction is of an earlier entry, there is none.
  if (from === to) return isOfEntry(sql, last, to) ? { from: last, to: last } : undefined;
  return { from: from <= 0 ? 0 : lastTransactionOf(sql, from - 1) + 1, to: last };
}

const isOfEntry = (sql: Sql, tx: number, log: number): boolean =>
  sql.all("SELECT 1 FROM tx WHERE tx.id = ? AND log = ?", tx, log).length > 0;

/** Whether a table has entries of a type. */
function isOf(table: "tx" | "entry", type: number | undefined): boolean {
  if (type === undefined) return true;
  const isCreated = type === LOG_TYPES.NEW_TRANSACTION || type === LOG_TYPES.REVERTED_TRANSACTION;
  return isCreated === (table === "tx");
}

/** The index of the rarer types is partial, so that its condition is repeated. */
const ofType = (type: number | undefined): string =>
  type === undefined ? "" : `AND type = ${type} ${type === 0 ? "" : "AND type <> 0"}`;

/** The entries that consecutive references lead to, in order. */
export function entriesBetween<Row extends SqlRow & LogRef>(
  sql: Sql,
  columns: string,
  refs: readonly LogRef[],
): Row[] {
  const { txs, others } = idsOf(refs);
  const read = (from: string, key: string, ids: readonly number[]): Row[] => {
    const [low, high] = [ids[0], ids.at(-1)];
    return low === undefined || high === undefined
      ? []
      : sql.all<Row>(`${from} WHERE ${key} >= ? AND ${key} <= ? ORDER BY ${key}`, low, high);
  };
  return inOrder([
    ...read(`SELECT log AS id, id AS tx${columns} FROM tx`, "tx.id", txs),
    ...read(`SELECT id, NULL AS tx${columns} FROM entry`, "id", others),
  ]);
}

/** The entries that references lead to, in no particular order. */
export function entriesOf<Row extends SqlRow & LogRef>(
  sql: Sql,
  columns: string,
  refs: readonly LogRef[],
): Row[] {
  const { txs, others } = idsOf(refs);
  const read = (select: string, ids: readonly number[]): Row[] =>
    ids.length === 0
      ? []
      : sql.all<Row>(`${select} IN (SELECT value FROM json_each(?))`, `[${ids.join(",")}]`);
  return [
    ...read(`SELECT log AS id, id AS tx${columns} FROM tx WHERE tx.id`, txs),
    ...read(`SELECT id, NULL AS tx${columns} FROM entry WHERE id`, others),
  ];
}

/** The keys of the rows that references lead to, by table. */
const idsOf = (refs: readonly LogRef[]): { txs: number[]; others: number[] } => ({
  txs: refs.flatMap(({ tx }) => tx ?? []),
  others: refs.flatMap(({ id, tx }) => (tx === null ? id : [])),
});

const inOrder = <Row extends LogRef>(rows: readonly Row[], order: Order = "asc"): Row[] =>
  rows.toSorted((a, b) => (order === "asc" ? a.id - b.id : b.id - a.id));

const clamped = (id: number): number => Math.min(Math.max(id, -1), Number.MAX_SAFE_INTEGER);

type Rising = { key: number; value: number };

const SELECT_RISING = "SELECT id AS key, log AS value FROM tx";

/** What stands for a row before the first one: no id is negative. */
const BEFORE_ALL: RisingRow = { key: -1, value: -1 };

const rowAt = (sql: Sql, key: number): RisingRow =>
  sql.all<Rising>(`${SELECT_RISING} WHERE tx.id <= ? ORDER BY tx.id DESC LIMIT 1`, key)[0] ??
  BEFORE_ALL;
