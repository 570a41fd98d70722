import { sql } from "drizzle-orm";
import type { BatchItem, BatchResponse } from "drizzle-orm/batch";
import type { Database } from "./database.ts";
import { storageReserve } from "./tables.ts";
import { logError } from "#platform/log.ts";
import { isStorageFull } from "#platform/storage-full.ts";

type Statement = BatchItem<"sqlite">;
type Batch = readonly [Statement, ...Statement[]];

/** Bytes of a slot and number of slots: 4 MiB in all. */
const SLOT_BYTES = 32_768;
export const RESERVE_SLOTS = 128;
/** Slots that the first and the second attempt release: 128 KiB, then 2 MiB for changes with long events. */
const RELEASES = [4, 64];

export interface ReserveUse {
  /** Slots that are kept for more important changes. */
  readonly leaves?: number;
}

/**
 * Stores a batch that must find room also in a full database: a deletion, the end of an access, or a login. A batch that finds no room is
 * stored together with the release of a part of the reserve:
 *
 *     full:      |████ data ████|▒▒ reserve ▒▒|         an INSERT needs a page: SQLITE_FULL
 *     in a batch |████ data ████|▒▒ reserve|  |         the DELETE of slots puts their pages on the list of free pages ...
 *                |████ data ████|▒▒ reserve|██|         ... from which the next statements take pages
 *     then       |████ data ██|▒▒▒ reserve|▒▒▒|         the reserve takes free pages, also those of deleted rows
 *
 * SQLite needs no new page for a `DELETE` of slots. A deletion of other rows may need pages, because indexes are rebalanced, and so may an
 * update that makes a row longer. A batch that finds room at once has no extra cost. Throws as `batch` does; the error is that of a full
 * database if the released part of the reserve does not suffice.
 */
export async function storeWithReserve<const T extends Batch>(
  db: Database,
  batch: T,
  { leaves = 0 }: ReserveUse = {},
): Promise<BatchResponse<T>> {
  try {
    return await db.batch(batch);
  } catch (error) {
    if (!isStorageFull(error)) throw error;
    return storeInReleased(db, batch, { leaves, full: error });
  }
}

async function storeInReleased<const T extends Batch>(
  db: Database,
  batch: T,
  { leaves, full }: { readonly leaves: number; readonly full: unknown },
): Promise<BatchResponse<T>> {
  let lastError = full;
  for (const slots of RELEASES) {
    try {
      const [, ...answers] = await db.batch([release(db, slots, leaves), ...batch]);
      await takeBack(db, slots);
      return answers;
    } catch (error) {
      if (!isStorageFull(error)) throw error;
      lastError = error;
    }
  }
  throw lastError;
}

/**
 * Runs work that deletes, such as the purge of a sweep. If the work finds no room, it runs once more after the release of a part of the
 * reserve. The work must tolerate an interruption and a repetition at any point.
 */
export async function runWithReserve<T>(db: Database, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isStorageFull(error)) throw error;
  }
  const [slots = 0] = RELEASES;
  await release(db, slots, 0);
  try {
    return await work();
  } finally {
    await takeBack(db, RESERVE_SLOTS);
  }
}

/** Fills the reserve as far as the database has room. Returns whether the reserve is complete. */
export async function fillReserve(db: Database): Promise<boolean> {
  if ((await slotsOf(db)) < RESERVE_SLOTS) await takeBack(db, RESERVE_SLOTS);
  return (await slotsOf(db)) >= RESERVE_SLOTS;
}

async function slotsOf(db: Database): Promise<number> {
  const [row] = await db.all<{ count: number }>(
    sql`SELECT count(*) AS count FROM ${storageReserve}`,
  );
  return row?.count ?? 0;
}

/** Releases at most `slots` slots and keeps at least `leaves`. */
const release = (db: Database, slots: number, leaves: number) =>
  db.delete(storageReserve).where(sql`slot IN (
    SELECT slot FROM ${storageReserve} ORDER BY slot DESC
    LIMIT max(0, min(${slots}, (SELECT count(*) FROM ${storageReserve}) - ${leaves})))`);

/** Takes back up to `slots` slots, in ever smaller parts. Never throws: the sweep takes the slots that find no room. */
async function takeBack(db: Database, slots: number): Promise<void> {
  for (let part = slots; part >= 1; part = Math.floor(part / 2)) {
    try {
      await db.run(sql`
        WITH RECURSIVE slots (slot) AS (SELECT 1 UNION ALL SELECT slot + 1 FROM slots WHERE slot < ${RESERVE_SLOTS})
        INSERT INTO ${storageReserve} (slot, bytes)
        SELECT slot, zeroblob(${SLOT_BYTES}) FROM slots
        WHERE slot NOT IN (SELECT slot FROM ${storageReserve}) LIMIT ${part}`);
    } catch (error) {
      if (isStorageFull(error)) continue;
      logError("the reserve could not be taken back; the sweep takes it back", error);
      return;
    }
  }
}
