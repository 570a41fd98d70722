import { first, type Sql } from "#platform/sql/sql.ts";
import { MICROS_MAX, MICROS_MIN } from "#platform/time.ts";

/*
 * Searches for the last row that existed at a date. Ids of log entries, transactions and accounts increase with each
 * insertion, and dates of insertion never decrease with the ids, so that a binary search finds the row. Ids may have gaps.
 */

/** The id of the last log entry whose date is not after `micros`; -1 if there is none. Dates are microseconds since 1970. */
export function lastLogAt(sql: Sql, micros: bigint): number {
  const tx = lastTransactionAt(sql, micros).id;
  const created = sql.all<{ log: number }>("SELECT log FROM tx WHERE id = ?", tx)[0]?.log ?? -1;
  return Math.max(created, lastEntryAt(sql, micros));
}

export interface LastRow {
  /** The id of the row; -1 if there is none. */
  readonly id: number;
  /** Whether later rows exist, so that no row up to the date can be inserted any more. */
  readonly isFinal: boolean;
}

/** The last transaction that was inserted at or before a date. */
export function lastTransactionAt(sql: Sql, micros: bigint): LastRow {
  // A range of dates without a bound asks with a date beyond the range of all dates.
  if (micros < MICROS_MIN) return { id: -1, isFinal: false };
  if (micros < MICROS_MAX) return lastRowBy(sql, TRANSACTION, micros);
  return { id: sql.all<{ id: number }>(LAST_TRANSACTION)[0]?.id ?? -1, isFinal: false };
}

const LAST_TRANSACTION = "SELECT id FROM tx ORDER BY id DESC LIMIT 1";

/** The id of the last entry without a transaction that was inserted at or before a date; -1 if there is none. */
export const lastEntryAt = (sql: Sql, micros: bigint): number => lastBy(sql, ENTRY, micros);

/** The id of the last account that was inserted at or before a date; -1 if there is none. */
export const lastAccountAt = (sql: Sql, micros: bigint): number => lastBy(sql, ACCOUNT, micros);

/**
 * A binary search for the last row whose value does not exceed a limit; values never decrease with the ids. Because ids may
 * have gaps, each iteration takes two steps: the first looks at the last row up to the middle, the second continues in the
 * half that is left.
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
  SELECT max(id) AS id, (SELECT max(id) FROM ${table}) AS last FROM ${table} WHERE id <= (SELECT high FROM search WHERE low > high)`;

const ENTRY = search("entry", "SELECT date FROM entry");
const TRANSACTION = search("tx", "SELECT date FROM tx");
const ACCOUNT = search("account", "SELECT inserted_at FROM account");

/** The largest id of a row whose value does not exceed the limit; -1 if there is none. */
const lastBy = (sql: Sql, statement: string, limit: bigint): number =>
  lastRowBy(sql, statement, limit).id;

function lastRowBy(sql: Sql, statement: string, limit: bigint): LastRow {
  const rows = sql.all<{ id: number | null; last: number | null }>(statement, limit.toString());
  const { id, last } = first(rows);
  return { id: id ?? -1, isFinal: (last ?? -1) > (id ?? -1) };
}
