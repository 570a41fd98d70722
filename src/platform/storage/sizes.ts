import { desc, eq, gte } from "drizzle-orm";
import { afterMeasurement, growthPerDay } from "./growth.ts";
import { storageSizes } from "./tables.ts";
import type { Database } from "#platform/db/database.ts";
import { storeWithReserve } from "#platform/db/reserve.ts";

/** Cloudflare's limits for a D1 database and for the storage of one object, in bytes: 10 GB each. */
export const DATABASE_BYTES_MAX = 10_000_000_000;
export const OBJECT_BYTES_MAX = 10_000_000_000;
/** Share of a limit from which the operator is told. */
export const LARGE_SHARE = 0.7;
/** Most databases and objects that the operator is told of. */
const LARGE_MAX = 100;

/** The name of the database among the sizes. */
export const DATABASE = "database";

/** The limit of a database or an object, in bytes, by its name among the sizes. */
export const limitOf = (name: string): number =>
  name === DATABASE ? DATABASE_BYTES_MAX : OBJECT_BYTES_MAX;

/** A database or an object that is near its limit. */
export interface LargeStorage {
  /** `database`, or kind and name of an object: `ledger/main`. */
  readonly name: string;
  readonly bytes: number;
  readonly limitBytes: number;
  /** The growth in bytes a day; undefined if it is not known yet. */
  readonly growthPerDay: number | undefined;
}

/** Stores the size of a database or an object. Each is measured by one caller only. */
export async function keepSize(
  db: Database,
  name: string,
  measured: { readonly bytes: number; readonly measuredMs: number },
): Promise<void> {
  const [before] = await db.select().from(storageSizes).where(eq(storageSizes.name, name));
  const after = afterMeasurement(before, measured);
  // The operator is told of a full database, too, so that the row must find room there.
  await storeWithReserve(db, [
    db
      .insert(storageSizes)
      .values({ name, ...after })
      .onConflictDoUpdate({ target: storageSizes.name, set: after }),
  ]);
}

/** The databases and objects that are near their limits, the largest first. */
export async function listLarge(db: Database, nowMs: number): Promise<LargeStorage[]> {
  const rows = await db
    .select()
    .from(storageSizes)
    .where(gte(storageSizes.bytes, LARGE_SHARE * Math.min(DATABASE_BYTES_MAX, OBJECT_BYTES_MAX)))
    .orderBy(desc(storageSizes.bytes))
    .limit(LARGE_MAX);
  return rows.map(({ name, ...measured }) => ({
    name,
    bytes: measured.bytes,
    limitBytes: limitOf(name),
    growthPerDay: growthPerDay(measured, nowMs),
  }));
}

export function whatToDo({ name }: Pick<LargeStorage, "name">): string {
  if (name.startsWith("search/")) {
    return "rebuild the index of the search, which drops what is no longer there, or turn the search off (FLORIN_SEARCH); see docs/search.md";
  }
  return name === DATABASE
    ? "delete what is no longer needed, such as connectors and their payments, and shorten retentions (FLORIN_AUDIT_RETENTION and others); see 'When the disk is full' in docs/operations.md"
    : "go on in a new ledger: a ledger does not shrink, and refuses writes when it reaches its limit";
}
