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
  },
  (table) => [index("ledgers_bucket").on(table.bucket)],
);
