import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { pendingIndex, syncColumns } from "#platform/work/sync-columns.ts";

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
    /** The revision counts deletions, restorations and the purge; the ledger's object is to know of the last one. */
    ...syncColumns(),
    /**
     * When the purge began. From then on the ledger cannot be restored: its storage is being deleted, and its row goes
     * last.
     */
    purgingSince: text("purging_since"),
  },
  (table) => [
    index("ledgers_bucket").on(table.bucket),
    pendingIndex("ledgers_pending", table),
    index("ledgers_deleted")
      .on(table.deletedAt)
      .where(sql`deleted_at IS NOT NULL`),
  ],
);
