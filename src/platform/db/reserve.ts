import { sql } from "drizzle-orm";
import type { BatchItem, BatchResponse } from "drizzle-orm/batch";
import type { Database } from "./database.ts";
import { storageReserve } from "./tables.ts";
import { logError } from "#platform/log.ts";
import { isStorageFull } from "#platform/storage-full.ts";

type Statement = BatchItem<"sqlite">;
type Batch = readonly [Statement, ...Statement[]];

/** How many bytes a slot holds, and how many slots there are: 4 MiB. */
const SLOT_BYTES = 32_768;
export const RESERVE_SLOTS = 128;
/** How many slots the attempts release, one attempt after the other: 128 KiB, then 2 MiB for what has long events. */
const RELEASES = [4, 64];

export interface ReserveUse {
  /** How many slots stay for others, who need them more. */
  readonly leaves?: number;
}

/**
 * Stores a batch that has to find room also where the database is full: it deletes, ends an access or logs in. Where the batch
 * finds no room, it is stored together with the release of a part of the reserve:
 *
 *     full:      |████ data ████|▒▒ reserve ▒▒|         an INSERT needs a page: SQLITE_FULL
 *     in a batch |████ data ████|▒▒ reserve|  |         the DELETE of slots puts their pages on the list of free pages ...
 *                |████ data ████|▒▒ reserve|██|         ... from which the statements after it take theirs
 *     then       |████ data ██|▒▒▒ reserve|▒▒▒|         what is free is taken back, and what the change has deleted with it
 *
 * SQLite needs no new page for a `DELETE` of slots. A deletion of other rows may need some, because indexes are rebalanced, and so
 * may an update, which makes a row longer. A batch that finds room costs nothing more than any other. Throws as `batch` does: where
 * the whole reserve does not help, with the error of a full database.
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
      return answers; // without the answer to the release
    } catch (error) {
      if (!isStorageFull(error)) throw error;
      lastError = error;
    }
  }
  throw lastError;
}

/**
 * Runs work that deletes, such as the purge of a sweep, once more with a part of the reserve if it found no room. The work may be
 * cut off and repeated at any place.
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

/** Takes room for the reserve as far as there is some. Returns whether it is complete. */
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

/** Releases slots, as long as more than `leaves` are there. */
const release = (db: Database, slots: number, leaves: number) =>
  db.delete(storageReserve).where(sql`slot IN (
    SELECT slot FROM ${storageReserve} ORDER BY slot DESC
    LIMIT max(0, min(${slots}, (SELECT count(*) FROM ${storageReserve}) - ${leaves})))`);

/** Takes back up to that many slots, in ever smaller parts. Never throws: what finds no room is left to the sweep. */
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
      logError("the reserve could not be taken back; the sweep takes it", error);
      return;
    }
  }
}
