import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { Timestamp } from "#platform/time.ts";
import { pendingIndex, syncColumns } from "#platform/work/sync-columns.ts";

/** Exporters: destinations for log entries. */
export const exporters = sqliteTable("exporters", {
  id: text("id").primaryKey(),
  driver: text("driver").notNull(),
  /** The config as the client has sent it, a JSON object, encrypted. */
  config: text("config").notNull(),
  createdAt: text("created_at").$type<Timestamp>().notNull(),
});

/**
 * Pipelines, each from a ledger to an exporter. The progress is in the pipeline's object. A deleted row stays until the object has deleted
 * its storage, and may outlive its exporter, so that there is no foreign key between the two.
 */
export const pipelines = sqliteTable(
  "pipelines",
  {
    id: text("id").primaryKey(),
    ledger: text("ledger").notNull(),
    exporterId: text("exporter_id").notNull(),
    enabled: integer("enabled", { mode: "boolean" }).notNull(),
    resets: integer("resets").notNull(),
    /** The revision counts changes of the row and of its exporter. The pipeline's object has to be told of the last one. */
    ...syncColumns(),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    deletedAt: text("deleted_at").$type<Timestamp>(),
  },
  (table) => [
    uniqueIndex("pipelines_way")
      .on(table.ledger, table.exporterId)
      .where(sql`deleted_at IS NULL`),
    index("pipelines_exporter").on(table.exporterId),
    pendingIndex("pipelines_pending", table),
  ],
);
