import type { Sql } from "./sql.ts";

/**
 * The id of the last log entry of this date or an earlier one, in microseconds; -1 for none. Log dates never decrease
 * with the id.
 */
export function lastLogAt(sql: Sql, micros: bigint): number {
  const [last] = sql.all<{ id: number }>("SELECT id FROM log ORDER BY id DESC LIMIT 1");
  return lastBy(last?.id ?? -1, (id) => {
    const [row] = sql.all<{ id: number; date: number }>(
      "SELECT id, date FROM log WHERE id <= ? ORDER BY id DESC LIMIT 1",
      id,
    );
    return row === undefined ? undefined : { id: row.id, isWanted: BigInt(row.date) <= micros };
  });
}

/** The id of the last transaction that this log entry or an earlier one made; -1 for none. Both ids increase together. */
export function lastTransactionOf(sql: Sql, logId: number): number {
  const [last] = sql.all<{ id: number }>("SELECT id FROM tx ORDER BY id DESC LIMIT 1");
  return lastBy(last?.id ?? -1, (id) => {
    const [row] = sql.all<{ id: number; log: number }>(
      "SELECT id, log FROM tx WHERE id <= ? ORDER BY id DESC LIMIT 1",
      id,
    );
    return row === undefined ? undefined : { id: row.id, isWanted: row.log <= logId };
  });
}

/**
 * The largest id up to `high` of a row that is wanted, -1 for none: with the id of the row at an id or before it, and
 * whether that one is. Before a wanted row, all are.
 */
function lastBy(
  high: number,
  rowUpTo: (id: number) => { id: number; isWanted: boolean } | undefined,
): number {
  let [found, low, top] = [-1, 0, high];
  while (low <= top) {
    const middle = Math.floor((low + top) / 2);
    const row = rowUpTo(middle);
    // Ids have gaps: nothing between the row and the middle.
    if (row === undefined || row.id < low) low = middle + 1;
    else if (row.isWanted) [found, low] = [row.id, middle + 1];
    else top = row.id - 1;
  }
  return found;
}
