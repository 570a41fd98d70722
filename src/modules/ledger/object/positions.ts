import type { Sql } from "./sql.ts";

/*
 * From a date, or a log entry, to the last row that came by then. Ids of log entries, transactions and accounts grow as
 * they are inserted, and dates of insertion never decrease with them, so each is found by halves. There may be gaps.
 */

/** The id of the last log entry of this date or an earlier one, in microseconds; -1 for none. */
export const lastLogAt = (sql: Sql, micros: bigint): number =>
  lastBy(sql, LOG, (date) => BigInt(date) <= micros);

/** The id of the last transaction that was inserted by this date; -1 for none. */
export const lastTransactionAt = (sql: Sql, micros: bigint): number =>
  lastBy(sql, TRANSACTION, (date) => BigInt(date) <= micros);

/** The id of the last transaction that this log entry or an earlier one made; -1 for none. */
export const lastTransactionOf = (sql: Sql, logId: number): number =>
  lastBy(sql, TRANSACTION_BY_LOG, (log) => log <= logId);

/** The id of the last account that was inserted by this date; -1 for none. */
export const lastAccountAt = (sql: Sql, micros: bigint): number =>
  lastBy(sql, ACCOUNT, (date) => BigInt(date) <= micros);

/** How the last row of a table is found, and the last one up to an id, with what decides. */
interface Rows {
  readonly last: string;
  readonly upTo: string;
}

const LOG: Rows = {
  last: "SELECT max(id) AS id FROM log",
  upTo: "SELECT id, date AS value FROM log WHERE id <= ? ORDER BY id DESC LIMIT 1",
};
const TRANSACTION: Rows = {
  last: "SELECT max(id) AS id FROM tx",
  upTo: `SELECT tx.id, log.date AS value FROM tx JOIN log ON log.id = tx.log
    WHERE tx.id <= ? ORDER BY tx.id DESC LIMIT 1`,
};
const TRANSACTION_BY_LOG: Rows = {
  last: TRANSACTION.last,
  upTo: "SELECT id, log AS value FROM tx WHERE id <= ? ORDER BY id DESC LIMIT 1",
};
const ACCOUNT: Rows = {
  last: "SELECT max(id) AS id FROM account",
  upTo: "SELECT id, inserted_at AS value FROM account WHERE id <= ? ORDER BY id DESC LIMIT 1",
};

/** The largest id of a row whose value is wanted, -1 for none: before a wanted row, all are. */
function lastBy(sql: Sql, { last, upTo }: Rows, isWanted: (value: number) => boolean): number {
  let [found, low] = [-1, 0];
  let high = sql.all<{ id: number | null }>(last)[0]?.id ?? -1;
  while (low <= high) {
    const middle = Math.floor((low + high) / 2);
    const [row] = sql.all<{ id: number; value: number }>(upTo, middle);
    // Nothing is between the row and the middle.
    if (row === undefined || row.id < low) low = middle + 1;
    else if (isWanted(row.value)) [found, low] = [row.id, middle + 1];
    else high = row.id - 1;
  }
  return found;
}
