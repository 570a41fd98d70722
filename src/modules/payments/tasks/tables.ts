import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { TaskStatus } from "#modules/payments/core/enums.ts";
import type { Timestamp } from "#platform/time.ts";

/** Work that continues after the answer to the request that has begun it. The id follows from the operation and its objects. */
export const paymentTasks = sqliteTable(
  "payment_tasks",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    reference: text("reference").notNull(),
    /** The connector in the id of the task. It may have been uninstalled. */
    provider: text("provider").notNull(),
    connectorReference: text("connector_reference").notNull(),
    /** The connector with which the task is deleted; null for a task that outlives it. */
    connectorKey: integer("connector_key"),
    status: text("status").$type<TaskStatus>().notNull(),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    updatedAt: text("updated_at").$type<Timestamp>().notNull(),
    /** The id of the object that the task has created, as clients see it. */
    createdObjectId: text("created_object_id"),
    error: text("error"),
  },
  (table) => [
    uniqueIndex("payment_tasks_of_reference").on(table.reference, table.connectorReference),
    index("payment_tasks_of_connector").on(table.connectorKey),
  ],
);
