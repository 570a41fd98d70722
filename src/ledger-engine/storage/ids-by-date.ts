import type { Sql } from "#platform/sql/sql.ts";

/*
 * From a date, or a log entry, to the last row that came by then. Ids of log entries, transactions and accounts grow as
 * they are inserted, and dates of insertion never decrease with them, so each is found by halves. There may be gaps.
 */

/** The id of the last log entry of this date or an earlier one, in microseconds; -1 for none. */
export const lastLogAt = (sql: Sql, micros: bigint): number => lastBy(sql, LOG, micros);

/** The id of the last transaction that was inserted by this date; -1 for none. */
export const lastTransactionAt = (sql: Sql, micros: bigint): number =>
  lastBy(sql, TRANSACTION, micros);

/** The id of the last transaction that this log entry or an earlier one made; -1 for none. */
export const lastTransactionOf = (sql: Sql, logId: number): number =>
  lastBy(sql, TRANSACTION_BY_LOG, logId);

/** The id of the last account that was inserted by this date; -1 for none. */
export const lastAccountAt = (sql: Sql, micros: bigint): number => lastBy(sql, ACCOUNT, micros);

/**
 * How the last row of a table is found whose value is not beyond a limit: before such a row, all have such values. A search
 * has two steps for each half: it looks at the last row up to the middle, as there may be gaps, and goes on on one side.
 */
const search = (
  table: string,
  value: string,
): string => `WITH RECURSIVE search (low, high, isWanted) AS (
    SELECT 0, max(id), NULL FROM ${table}
    UNION ALL
    SELECT
        iif(isWanted = 1, (low + high) / 2 + 1, low),
        iif(isWanted = 0, (low + high) / 2 - 1, high),
        iif(isWanted IS NULL, coalesce((
          ${value} WHERE ${table}.id <= (low + high) / 2 ORDER BY ${table}.id DESC LIMIT 1
        ) <= CAST(?1 AS INTEGER), 1), NULL)
      FROM search WHERE low <= high
  )
  SELECT max(id) AS id FROM ${table} WHERE id <= (SELECT high FROM search WHERE low > high)`;

const LOG = search("log", "SELECT date FROM log");
const TRANSACTION = search("tx", "SELECT log.date FROM tx JOIN log ON log.id = tx.log");
const TRANSACTION_BY_LOG = search("tx", "SELECT log FROM tx");
const ACCOUNT = search("account", "SELECT inserted_at FROM account");

/** The largest id of a row whose value is the limit at most, -1 for none. */
function lastBy(sql: Sql, statement: string, limit: bigint | number): number {
  const [row] = sql.all<{ id: number | null }>(statement, limit.toString());
  return row?.id ?? -1;
}
