import { type SQL, sql } from "drizzle-orm";
import type { OwnedRows } from "#modules/payments/installs/owned-rows.ts";
import { type Database } from "#platform/db/database.ts";
import { storeWithReserve } from "#platform/db/reserve.ts";
import { stringifyJson } from "#platform/json.ts";

/** Rows that one batch deletes, and batches that one call makes. The platform limits the calls of one invocation. */
const ROWS_PER_BATCH = 500;
const BATCHES_MAX = 200;

export interface RowsRemoval {
  readonly connectorKey: number;
  /** All tables with rows of connectors, in the order in which their rows are deleted. */
  readonly ownedRows: readonly OwnedRows[];
  /** The time at which the removal pauses, in milliseconds since the epoch. */
  readonly untilMs: number;
}

/**
 * Deletes rows of a connector until none is left, `untilMs` has passed or `BATCHES_MAX` batches are done. Returns whether
 * no row is left. May be repeated.
 */
export async function removeOwnedRows(
  db: Database,
  { connectorKey, ownedRows, untilMs }: RowsRemoval,
): Promise<boolean> {
  let batches = 0;
  for (const rows of ownedRows) {
    // Each batch continues after the last deleted row, so that rows of other connectors are not read again.
    let after = -1;
    for (let last: number | undefined = after; last !== undefined; after = last ?? after) {
      if (Date.now() >= untilMs || batches++ >= BATCHES_MAX) return false;
      last = await removeSome(db, rows, { connectorKey, after });
    }
  }
  return true;
}

/** The statements that delete the few rows that may have appeared since, in the batch that deletes the connector itself. */
export const lastOwnedRows = (
  db: Database,
  { connectorKey, ownedRows }: Omit<RowsRemoval, "untilMs">,
) =>
  ownedRows.flatMap((rows) => {
    const keys = sql`SELECT rowid FROM ${rows.table} WHERE ${isOf(rows, connectorKey)}`;
    return deletions(db, rows, keys);
  });

const isOf = ({ connectorKey: column }: OwnedRows, connectorKey: number): SQL =>
  sql`${column} = ${connectorKey}`;

/** Deletes the next rows of a table. Returns the key of the last one, or undefined if there was none. */
async function removeSome(
  db: Database,
  rows: OwnedRows,
  { connectorKey, after }: { readonly connectorKey: number; readonly after: number },
): Promise<number | undefined> {
  const found = await db.all<{ key: number }>(sql`
    SELECT rowid AS key FROM ${rows.table} WHERE ${isOf(rows, connectorKey)} AND rowid > ${after}
    ORDER BY rowid LIMIT ${ROWS_PER_BATCH}`);
  if (found.length === 0) return undefined;
  const keys = sql`SELECT value FROM json_each(${stringifyJson(found.map(({ key }) => key))})`;
  const [first, ...others] = deletions(db, rows, keys);
  const forgotten = rows.blocks?.removeEmpty(
    db,
    found.map(({ key }) => key),
  );
  if (first !== undefined) {
    await storeWithReserve(db, [first, ...others, ...(forgotten === undefined ? [] : [forgotten])]);
  }
  return found.at(-1)?.key;
}

const deletions = (db: Database, { table, children = [] }: OwnedRows, keys: SQL) => [
  ...children.map((child) => db.delete(child.table).where(child.isOfOneOf(keys))),
  db.delete(table).where(sql`rowid IN (${keys})`),
];
