import { integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { Timestamp } from "#platform/time.ts";

/** Webhooks that connectors have registered at their providers. */
export const paymentWebhookConfigs = sqliteTable(
  "payment_webhook_configs",
  {
    connectorKey: integer("connector_key").notNull(),
    /** The part of the path after the connector's own URL, such as `/standard`. */
    urlPath: text("url_path").notNull(),
    name: text("name").notNull(),
    /** Encrypted JSON of the data with which the plugin verifies deliveries and removes the webhook. */
    metadata: text("metadata").notNull(),
    /** The time and reason of the last delivery that could not be read and was left out. */
    failedAt: text("failed_at").$type<Timestamp>(),
    error: text("error"),
  },
  (table) => [primaryKey({ columns: [table.connectorKey, table.urlPath] })],
);

/** Received deliveries, by which repeated ones are recognised. Old deliveries are deleted. */
export const paymentWebhookDeliveries = sqliteTable(
  "payment_webhook_deliveries",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    connectorKey: integer("connector_key").notNull(),
    /** The digest of the key that the plugin has found in the delivery. */
    digest: text("digest").notNull(),
    receivedAt: text("received_at").$type<Timestamp>().notNull(),
  },
  (table) => [
    uniqueIndex("payment_webhook_deliveries_of_connector").on(table.connectorKey, table.digest),
  ],
);
