import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { Timestamp } from "#platform/time.ts";

/** Items of providers that could not be stored. Those of fetches are fetched again, those of webhooks are not. */
export const paymentRejectedItems = sqliteTable(
  "payment_rejected_items",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    connectorKey: integer("connector_key").notNull(),
    /** The schedule whose run has fetched the item; 0 for an item of a webhook. */
    scheduleKey: integer("schedule_key").notNull(),
    /** The fetch whose page contained the item; 0 for an item of a webhook. */
    fetchKey: integer("fetch_key").notNull(),
    /** The task of the fetch, or the name of the webhook. */
    task: text("task").notNull(),
    itemId: text("item_id").notNull(),
    /** The provider's data without secrets, encrypted. */
    raw: text("raw").notNull(),
    reason: text("reason").notNull(),
    /** JSON of the fetch's state before the page, with which the page is fetched again; null for none. */
    state: text("state"),
    /** The bytes of the raw text and the state. */
    bytes: integer("bytes").notNull(),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    triedAt: text("tried_at").$type<Timestamp>().notNull(),
    /** Attempts to store the item. */
    attempts: integer("attempts").notNull().default(1),
    /** The last run that has tried the item. Each run tries it once. */
    instanceKey: integer("instance_key").notNull(),
    /** The last run that has tried the item by fetching its page again; 0 for none. */
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
