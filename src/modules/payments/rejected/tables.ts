import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { Timestamp } from "#platform/time.ts";

/** What providers have sent that could not be stored: it is set aside, and tried again. */
export const paymentRejectedItems = sqliteTable(
  "payment_rejected_items",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    connectorKey: integer("connector_key").notNull(),
    /** 0 for an item of a webhook. */
    scheduleKey: integer("schedule_key").notNull(),
    /** Whose page it came in; 0 for an item of a webhook. */
    fetchKey: integer("fetch_key").notNull(),
    /** What was fetched, or the name of the webhook. */
    task: text("task").notNull(),
    itemId: text("item_id").notNull(),
    /** Encrypted: what the provider has sent, without secrets. */
    raw: text("raw").notNull(),
    reason: text("reason").notNull(),
    /** The state of the fetch before the page: with it the page is asked for again. JSON; null where there was none. */
    state: text("state"),
    /** How many bytes the raw text and the state have. */
    bytes: integer("bytes").notNull(),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    triedAt: text("tried_at").$type<Timestamp>().notNull(),
    /** How often it could not be stored. */
    attempts: integer("attempts").notNull().default(1),
    /** The run that has tried it last: each run tries it once. */
    instanceKey: integer("instance_key").notNull(),
    /** The same, where that was by asking for its page again. */
    retriedIn: integer("retried_in").notNull().default(0),
  },
  (table) => [
    uniqueIndex("payment_rejected_items_of_fetch").on(
      table.connectorKey,
      table.scheduleKey,
      table.fetchKey,
      table.itemId,
    ),
    index("payment_rejected_items_of_schedule").on(table.scheduleKey, table.fetchKey),
    index("payment_rejected_items_listed").on(table.connectorKey, table.createdAt, table.key),
  ],
);
