import { type SQL, sql } from "drizzle-orm";
import type { OwnedRows } from "#modules/payments/installs/owned-rows.ts";
import { type Database } from "#platform/db/database.ts";
import { storeWithReserve } from "#platform/db/reserve.ts";
import { stringifyJson } from "#platform/json.ts";

/** How many rows go in one batch, and how many batches in one call: the platform limits the calls of one invocation. */
const ROWS_PER_BATCH = 500;
const BATCHES_MAX = 200;

export interface RowsRemoval {
  readonly connectorKey: number;
  /** Every kind of rows that belongs to connectors, in the order of their deletion. */
  readonly ownedRows: readonly OwnedRows[];
  /** When the removal stops, in milliseconds since the epoch. */
  readonly untilMs: number;
}

/** Deletes rows of a connector until none is left, or the time is over, or it has deleted many. Returns whether none was left. May be repeated. */
export async function removeOwnedRows(
  db: Database,
  { connectorKey, ownedRows, untilMs }: RowsRemoval,
): Promise<boolean> {
  let batches = 0;
  for (const rows of ownedRows) {
    // Rows of others that were passed once are not read again.
    let after = -1;
    for (let last: number | undefined = after; last !== undefined; after = last ?? after) {
      if (Date.now() >= untilMs || batches++ >= BATCHES_MAX) return false;
      last = await removeSome(db, rows, { connectorKey, after });
    }
  }
  return true;
}

/** The statements that delete what little may be left, for the batch in which the connector itself goes. */
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

/** Deletes the next rows; returns the last of them, undefined where there was none. */
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
  const forgotten = rows.segments?.removeEmpty(
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
