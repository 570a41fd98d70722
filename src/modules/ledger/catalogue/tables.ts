import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** The catalogue of ledgers. What is inside one lives in its own object. */
export const ledgers = sqliteTable(
  "ledgers",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    /** Names the ledger in event ids; the name of a ledger could be given again after a purge. */
    uuid: text("uuid").notNull().unique(),
    name: text("name").notNull().unique(),
    bucket: text("bucket").notNull(),
    /** JSON object of texts. */
    metadata: text("metadata").notNull(),
    /** JSON object, feature name to value, complete. */
    features: text("features").notNull(),
    /** RFC 3339 in UTC with six decimals, as all timestamps in D1. */
    addedAt: text("added_at").notNull(),
    deletedAt: text("deleted_at"),
    /** How often the ledger was deleted and restored: the number of the last time. */
    visibility: integer("visibility").notNull().default(0),
    /** The number of the last time that its object knows of. Below `visibility`, the object is still to be told. */
    toldVisibility: integer("told_visibility").notNull().default(0),
    /** From then on there is no way back: the ledger's storage is being given back, and its row goes last. */
    purgingSince: text("purging_since"),
  },
  (table) => [
    index("ledgers_bucket").on(table.bucket),
    index("ledgers_untold")
      .on(table.id)
      .where(sql`visibility <> told_visibility`),
    index("ledgers_deleted")
      .on(table.deletedAt)
      .where(sql`deleted_at IS NOT NULL`),
    index("ledgers_purging")
      .on(table.id)
      .where(sql`purging_since IS NOT NULL`),
  ],
);
