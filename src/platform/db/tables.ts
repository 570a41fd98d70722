import { blob, integer, sqliteTable } from "drizzle-orm/sqlite-core";

/** The slots of the reserve, whose bytes are released in a full database; see `reserve.ts`. */
export const storageReserve = sqliteTable("storage_reserve", {
  slot: integer("slot").primaryKey(),
  bytes: blob("bytes", { mode: "buffer" }).notNull(),
});
