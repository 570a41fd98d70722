import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Timestamp } from "#platform/time.ts";

/** Workflows. Their configurations never change, and deleted workflows stay readable. */
export const orchestrationWorkflows = sqliteTable(
  "orchestration_workflows",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    id: text("id").notNull().unique(),
    /** The configuration as its creator has written it, as JSON. */
    config: text("config").notNull(),
    /**
     * The patterns of ledgers that the creator is bound to, as JSON. A principal that is bound to other ledgers does not see the workflow.
     */
    ledgers: text("ledgers").notNull(),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    deletedAt: text("deleted_at").$type<Timestamp>(),
  },
  (table) => [index("orchestration_workflows_listed").on(table.deletedAt, table.key)],
);
