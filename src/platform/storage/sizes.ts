import { desc, eq, gte } from "drizzle-orm";
import { afterMeasurement, growthPerDay } from "./growth.ts";
import { storageSizes } from "./tables.ts";
import type { Database } from "#platform/db/database.ts";
import { storeWithReserve } from "#platform/db/reserve.ts";

/** The largest that Cloudflare lets a D1 database, and the storage of one object, become, in bytes: 10 GB each. */
export const DATABASE_BYTES_MAX = 10_000_000_000;
export const OBJECT_BYTES_MAX = 10_000_000_000;
/** From this share of its limit on, the operator is told of something. */
export const LARGE_SHARE = 0.7;
/** Most large things that are told of. */
const LARGE_MAX = 100;

/** The name of the database among the sizes. */
export const DATABASE = "database";

/** Something that is near its limit. */
export interface LargeStorage {
  /** `database`, or kind and name of an object: `ledger/main`. */
  readonly name: string;
  readonly bytes: number;
  readonly limitBytes: number;
  /** Bytes a day; undefined as long as it is not known. */
  readonly growthPerDay: number | undefined;
}

/** Keeps the size of something. Only one place measures each of them. */
export async function keepSize(
  db: Database,
  name: string,
  measured: { readonly bytes: number; readonly measuredMs: number },
): Promise<void> {
  const [before] = await db.select().from(storageSizes).where(eq(storageSizes.name, name));
  const after = afterMeasurement(before, measured);
  // It is to be told where the database is full, too.
  await storeWithReserve(db, [
    db
      .insert(storageSizes)
      .values({ name, ...after })
      .onConflictDoUpdate({ target: storageSizes.name, set: after }),
  ]);
}

/** What is near its limit, the largest first. */
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
    limitBytes: name === DATABASE ? DATABASE_BYTES_MAX : OBJECT_BYTES_MAX,
    growthPerDay: growthPerDay(measured, nowMs),
  }));
}

/** What an operator does about it. */
export const whatToDo = ({ name }: Pick<LargeStorage, "name">): string =>
  name === DATABASE
    ? "delete what is no longer needed, such as connectors and their payments, and shorten retentions (FLORIN_AUDIT_RETENTION and others); see 'When the disk is full' in docs/operations.md"
    : "go on in a new ledger: a ledger does not shrink, and refuses writes when it reaches its limit";
