import { index, integer, real, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * Sizes of the database and of large objects, each written by the measured database or object itself. Times are in milliseconds since the
 * epoch.
 */
export const storageSizes = sqliteTable(
  "storage_sizes",
  {
    /** `database`, or kind and name of an object: `ledger/main`. */
    name: text("name").primaryKey(),
    bytes: integer("bytes").notNull(),
    measuredMs: integer("measured_ms").notNull(),
    /** The size at the beginning of the current day of measurement. */
    dayBytes: integer("day_bytes").notNull(),
    dayMs: integer("day_ms").notNull(),
    /** The growth in the last whole day, in bytes a day; null before the first whole day. */
    growth: real("growth"),
  },
  (table) => [index("storage_sizes_largest").on(table.bytes)],
);
