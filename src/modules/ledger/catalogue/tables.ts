import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { Timestamp } from "#platform/time.ts";

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

/** Where log entries can be sent. */
export const exporters = sqliteTable("exporters", {
  id: text("id").primaryKey(),
  driver: text("driver").notNull(),
  /** JSON object as the client sent it, encrypted. */
  config: text("config").notNull(),
  createdAt: text("created_at").$type<Timestamp>().notNull(),
});

/**
 * Which ledger is sent to which exporter. How far it got is in the object of the pipeline. A deleted row stays until that
 * has given its storage back; it outlives its exporter, so that the two are not tied.
 */
export const pipelines = sqliteTable(
  "pipelines",
  {
    id: text("id").primaryKey(),
    ledger: text("ledger").notNull(),
    exporterId: text("exporter_id").notNull(),
    enabled: integer("enabled", { mode: "boolean" }).notNull(),
    /** How often it was told to begin again. */
    resets: integer("resets").notNull(),
    /** Counts the changes of the row and of its exporter. */
    revision: integer("revision").notNull(),
    /** The revision that its object knows of. Below `revision`, the object is still to be told. */
    toldRevision: integer("told_revision").notNull(),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    deletedAt: text("deleted_at").$type<Timestamp>(),
  },
  (table) => [
    uniqueIndex("pipelines_way")
      .on(table.ledger, table.exporterId)
      .where(sql`deleted_at IS NULL`),
    index("pipelines_exporter").on(table.exporterId),
    index("pipelines_untold")
      .on(table.id)
      .where(sql`told_revision < revision`),
  ],
);
