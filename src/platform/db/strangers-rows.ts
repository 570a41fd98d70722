import { asc, count, inArray } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { AnySQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Database } from "./database.ts";
import { RESERVE_SLOTS, storeWithReserve } from "./reserve.ts";
import { isStorageFull } from "#platform/storage-full.ts";

/** A table to which anybody can add rows, by what is asked before anybody is known. */
export interface StrangersTable {
  readonly table: SQLiteTable;
  readonly key: AnySQLiteColumn;
  /** The time at which a row ends; the oldest rows have the smallest. */
  readonly end: AnySQLiteColumn;
  /** Most rows, dead ones included. */
  readonly rowsMax: number;
}

/** How many of the oldest rows end when there are too many. */
const ROWS_ENDED = 1000;

/**
 * Adds a row to such a table, and returns what the insertion returns. When somebody adds very many, the oldest end: whoever is served goes on
 * within a minute, but nobody could begin at all if all places were taken until rows expire. In a full database, these rows may use half of
 * the reserve; the other half is left for deletions. When this half is used up, the oldest rows end.
 */
export async function insertForStranger<const I extends BatchItem<"sqlite">>(
  db: Database,
  rows: StrangersTable,
  insertion: I,
): Promise<I["_"]["result"]> {
  const some = db.select({ key: rows.key }).from(rows.table).limit(rows.rowsMax).as("some");
  const [known] = await db.select({ count: count() }).from(some);
  if ((known?.count ?? 0) >= rows.rowsMax) await oldestEnd(db, rows);
  try {
    const [added] = await storeWithReserve(db, [insertion], { leaves: RESERVE_SLOTS / 2 });
    return added;
  } catch (error) {
    if (!isStorageFull(error)) throw error;
    const [, added] = await db.batch([oldestEnd(db, rows), insertion]);
    return added;
  }
}

function oldestEnd(db: Database, { table, key, end }: StrangersTable) {
  const oldest = db.select({ key }).from(table).orderBy(asc(end)).limit(ROWS_ENDED);
  return db.delete(table).where(inArray(key, oldest));
}
