import { desc, ne, sql } from "drizzle-orm";
import { getTableName } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { growthPerDay } from "./growth.ts";
import { DATABASE, limitOf } from "./sizes.ts";
import { storageSizes } from "./tables.ts";
import type { Database } from "#platform/db/database.ts";

/** A database or an object, its growth, and the time at which it is full at the present rate. Times are in milliseconds since the epoch. */
export interface StorageUse {
  /** `database`, or kind and name of an object: `ledger/main`. */
  readonly name: string;
  readonly bytes: number;
  readonly limitBytes: number;
  readonly measuredMs: number;
  /** In bytes a day; undefined if it is not known yet. */
  readonly growthPerDay: number | undefined;
  /** Undefined for storage that does not grow. */
  readonly fullMs: number | undefined;
}

const DAY_MS = 86_400_000;

/** What is known of a measured size. */
export function toUse(row: typeof storageSizes.$inferSelect, nowMs: number): StorageUse {
  const { name, bytes, measuredMs } = row;
  const limitBytes = limitOf(name);
  const growth = growthPerDay(row, nowMs);
  const leftBytes = Math.max(limitBytes - bytes, 0);
  const isGrowing = growth !== undefined && growth > 0;
  const fullMs = isGrowing ? nowMs + (leftBytes / growth) * DAY_MS : undefined;
  return { name, bytes, limitBytes, measuredMs, growthPerDay: growth, fullMs };
}

/** The measured database, and the largest measured objects. */
export async function readUses(
  db: Database,
  nowMs: number,
  objectsMax: number,
): Promise<{ readonly database: StorageUse | undefined; readonly objects: StorageUse[] }> {
  const [[database], objects] = await db.batch([
    db
      .select()
      .from(storageSizes)
      .where(sql`${storageSizes.name} = ${DATABASE}`),
    db
      .select()
      .from(storageSizes)
      .where(ne(storageSizes.name, DATABASE))
      .orderBy(desc(storageSizes.bytes))
      .limit(objectsMax),
  ]);
  return {
    database: database === undefined ? undefined : toUse(database, nowMs),
    objects: objects.map((row) => toUse(row, nowMs)),
  };
}

/** A table, and how many rows it has at most. */
export interface TableRows {
  readonly name: string;
  readonly rows: number;
}

/** Tables in one statement. D1 takes a hundred columns. */
const TABLES_PER_STATEMENT = 50;

/**
 * Bounds on the rows of tables, the largest first: the distance between the first and the last row id, which two looks into the table's tree
 * find, however many rows there are. Rows that were deleted in between count.
 */
export async function boundRows(
  db: Database,
  tables: readonly SQLiteTable[],
): Promise<TableRows[]> {
  const found: TableRows[] = [];
  for (let at = 0; at < tables.length; at += TABLES_PER_STATEMENT) {
    const part = tables.slice(at, at + TABLES_PER_STATEMENT);
    const counts = part.map(
      // Each end is a query of its own, because SQLite looks an end up only where nothing else is asked for.
      (table) => sql`coalesce((SELECT max(rowid) FROM ${table}), 0)
        - coalesce((SELECT min(rowid) FROM ${table}), 1) + 1 AS ${sql.identifier(getTableName(table))}`,
    );
    const row = await db.get<Record<string, number>>(sql`SELECT ${sql.join(counts, sql`, `)}`);
    found.push(...Object.entries(row).map(([name, rows]) => ({ name, rows })));
  }
  return found.toSorted((one, other) => other.rows - one.rows);
}
