import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { pendingIndex, syncColumns } from "#platform/work/sync-columns.ts";

/** The catalogue of ledgers. Each ledger has its content in an object of its own. */
export const ledgers = sqliteTable(
  "ledgers",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    /** Names the ledger in the ids of events, because another ledger may get its name after a purge. */
    uuid: text("uuid").notNull().unique(),
    name: text("name").notNull().unique(),
    bucket: text("bucket").notNull(),
    /** A JSON object of texts. */
    metadata: text("metadata").notNull(),
    /** A JSON object with the values of all features, by their names. */
    features: text("features").notNull(),
    /** The location hint with which the ledger's object was made. */
    location: text("location"),
    /** RFC 3339 in UTC with six decimals, like all timestamps in D1. */
    addedAt: text("added_at").notNull(),
    deletedAt: text("deleted_at"),
    /** The revision counts deletions, restorations and the purge. The ledger's object has to be told of the last one. */
    ...syncColumns(),
    /** When the purge began. From then on the ledger cannot be restored: its storage is being deleted, and its row is deleted last. */
    purgingSince: text("purging_since"),
    /** When a verification first found that the ledger differs from its log, until a later one finds no difference. */
    inconsistentSince: text("inconsistent_since"),
  },
  (table) => [
    index("ledgers_bucket").on(table.bucket),
    pendingIndex("ledgers_pending", table),
    index("ledgers_deleted")
      .on(table.deletedAt)
      .where(sql`deleted_at IS NOT NULL`),
    index("ledgers_inconsistent")
      .on(table.id)
      .where(sql`inconsistent_since IS NOT NULL`),
  ],
);
