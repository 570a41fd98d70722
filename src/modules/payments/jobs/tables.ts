import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Timestamp } from "#platform/time.ts";
import { pendingIndex, syncColumns } from "#platform/work/sync-columns.ts";

/** Calls of providers that go on after the answer to a request, until they are done. A row goes when its job is done. */
export const paymentJobs = sqliteTable(
  "payment_jobs",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    /** The same job has the same name, and is there once. */
    name: text("name").notNull().unique(),
    /** Encrypted: what to do, as JSON. */
    job: text("job").notNull(),
    /** The connector that it belongs to, and is deleted with. */
    connectorKey: integer("connector_key"),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    ...syncColumns(),
  },
  (table) => [
    pendingIndex("payment_jobs_pending", table),
    index("payment_jobs_connector").on(table.connectorKey),
  ],
);
