import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { Timestamp } from "#platform/time.ts";

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
