import { integer, real, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** How large the database and the large objects are. A row is written by what it tells of. Times are milliseconds since the epoch. */
export const storageSizes = sqliteTable("storage_sizes", {
  /** `database`, or kind and name of an object: `ledger/main`. */
  name: text("name").primaryKey(),
  bytes: integer("bytes").notNull(),
  measuredMs: integer("measured_ms").notNull(),
  /** The size at the beginning of the day that is being measured. */
  dayBytes: integer("day_bytes").notNull(),
  dayMs: integer("day_ms").notNull(),
  /** Bytes a day, of the last whole day; null before there was one. */
  growth: real("growth"),
});
