import { blob, integer, sqliteTable } from "drizzle-orm/sqlite-core";

/** Bytes that wait to be released where the database is full; see `reserve.ts`. */
export const storageReserve = sqliteTable("storage_reserve", {
  slot: integer("slot").primaryKey(),
  bytes: blob("bytes", { mode: "buffer" }).notNull(),
});
