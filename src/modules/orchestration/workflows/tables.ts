import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Timestamp } from "#platform/time.ts";

/** Workflows. They never change, and what is deleted stays readable. */
export const orchestrationWorkflows = sqliteTable(
  "orchestration_workflows",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    id: text("id").notNull().unique(),
    /** As its creator has written it, as JSON. */
    config: text("config").notNull(),
    /** The patterns of ledgers that its creator is bound to, as JSON. Those who are bound to others don't see it. */
    ledgers: text("ledgers").notNull(),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    deletedAt: text("deleted_at").$type<Timestamp>(),
  },
  (table) => [index("orchestration_workflows_listed").on(table.deletedAt, table.key)],
);
