import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Timestamp } from "#platform/time.ts";

/** Who changed what, in the order in which it happened. Rows are added and purged, never changed. */
export const audit = sqliteTable(
  "audit",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    date: text("date").$type<Timestamp>().notNull(),
    issuer: text("issuer").notNull(),
    subject: text("subject").notNull(),
    clientId: text("client_id").notNull(),
    /** Module, entity and verb: `ledger.bucket.delete`. */
    action: text("action").notNull(),
    /** What was changed, as a path: `clients/42`. */
    object: text("object").notNull(),
    requestId: text("request_id").notNull(),
  },
  // Each ends with the id, which orders rows of one date.
  (table) => [
    index("audit_date").on(table.date),
    index("audit_client").on(table.clientId, table.date),
    index("audit_subject").on(table.subject, table.date),
    index("audit_action").on(table.action, table.date),
    index("audit_object").on(table.object, table.date),
  ],
);
