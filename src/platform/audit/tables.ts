import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Timestamp } from "#platform/time.ts";

/** The audit log: changes and their authors, in the order of the changes. Rows are added and purged, never updated. */
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
    /** The changed object as a path: `clients/42`. */
    object: text("object").notNull(),
    requestId: text("request_id").notNull(),
    /** Why, as its author has said; null for nothing. */
    note: text("note"),
  },
  // SQLite appends the id to each index, which orders rows of one date.
  (table) => [
    index("audit_date").on(table.date),
    index("audit_client").on(table.clientId, table.date),
    index("audit_subject").on(table.subject, table.date),
    index("audit_action").on(table.action, table.date),
    index("audit_object").on(table.object, table.date),
    index("audit_request").on(table.requestId),
  ],
);
