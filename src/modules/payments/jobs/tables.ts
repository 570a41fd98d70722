import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Timestamp } from "#platform/time.ts";
import { pendingIndex, syncColumns } from "#platform/work/sync-columns.ts";

/** Calls of providers that continue after the answer to a request. A row is deleted when its job is done. */
export const paymentJobs = sqliteTable(
  "payment_jobs",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    /** Identifies the job, so that it is stored once. */
    name: text("name").notNull().unique(),
    /** Encrypted JSON of a `Job`. */
    job: text("job").notNull(),
    /** The connector with which the job is deleted; null for a job of no connector. */
    connectorKey: integer("connector_key"),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    ...syncColumns(),
  },
  (table) => [
    pendingIndex("payment_jobs_pending", table),
    index("payment_jobs_connector").on(table.connectorKey),
  ],
);
