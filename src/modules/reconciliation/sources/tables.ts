import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { SourceKind } from "./definition.ts";
import type { Timestamp } from "#platform/time.ts";

/** Sources of lines. A source that is deleted is shown no more; the sweep of the retention deletes its statements and then its row. */
export const reconciliationSources = sqliteTable(
  "reconciliation_sources",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    id: text("id").notNull().unique(),
    name: text("name").notNull(),
    kind: text("kind").$type<SourceKind>().notNull(),
    /** The `SourceDefinition` as canonical JSON. */
    definition: text("definition").notNull(),
    /** The names of the ledgers that the source reads, as a JSON list, and whether it reads payments. */
    ledgers: text("ledgers").notNull(),
    hasPayments: integer("has_payments", { mode: "boolean" }).notNull(),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    updatedAt: text("updated_at").$type<Timestamp>().notNull(),
    createdBy: text("created_by").notNull(),
    deletedAt: text("deleted_at").$type<Timestamp>(),
  },
  (table) => [index("reconciliation_sources_listed").on(table.deletedAt, table.createdAt)],
);

/** Which matchings use a source. A source with a row here is not deleted, and neither is a statement whose lines such a matching has. */
export const reconciliationSourceUses = sqliteTable(
  "reconciliation_source_uses",
  {
    sourceId: text("source_id").notNull(),
    matchingId: text("matching_id").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.sourceId, table.matchingId] }),
    index("reconciliation_source_uses_matching").on(table.matchingId),
  ],
);
