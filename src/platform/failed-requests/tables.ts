import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { Timestamp } from "#platform/time.ts";

/** Requests that failed, in the order of their storing. Rows are added and purged; only the counts of a row change. */
export const failedRequests = sqliteTable(
  "failed_requests",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    /** The time at which the request came. */
    date: text("date").$type<Timestamp>().notNull(),
    requestId: text("request_id").notNull(),
    method: text("method").notNull(),
    /** The path of the request, without its query. */
    path: text("path").notNull(),
    /** The path of the operation: `/api/ledger/v2/{ledger}/transactions`. */
    route: text("route").notNull(),
    /** The `operationId` of the operation. */
    operation: text("operation").notNull(),
    status: integer("status").notNull(),
    /** The error code of the answer; empty if the answer has none. */
    code: text("code").notNull(),
    /** The message of the answer without texts of the request; null if it could not be told apart from them. */
    message: text("message"),
    issuer: text("issuer").notNull(),
    subject: text("subject").notNull(),
    clientId: text("client_id").notNull(),
    durationMs: integer("duration_ms").notNull(),
    /** The fields of the body that the operation lets be recorded, as JSON; null if there are none. */
    body: text("body"),
    /** Failures of the same principal after this one that have no row. */
    more: integer("more").notNull(),
    /** Failures of other principals after this one that have no row. */
    moreOfOthers: integer("more_of_others").notNull(),
  },
  (table) => [
    index("failed_request_date").on(table.date),
    index("failed_request_client").on(table.clientId, table.date),
    uniqueIndex("failed_request_request").on(table.requestId),
  ],
);
