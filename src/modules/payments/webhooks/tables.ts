import { integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { Timestamp } from "#platform/time.ts";

/** What connectors have registered at their providers. */
export const paymentWebhookConfigs = sqliteTable(
  "payment_webhook_configs",
  {
    connectorKey: integer("connector_key").notNull(),
    /** What follows the connector's own URL: `/standard`. */
    urlPath: text("url_path").notNull(),
    name: text("name").notNull(),
    /** Encrypted: JSON of what the plugin needs to verify deliveries and to remove the webhook. */
    metadata: text("metadata").notNull(),
    /** When the last delivery was left out that could not be read, and why. */
    failedAt: text("failed_at").$type<Timestamp>(),
    error: text("error"),
  },
  (table) => [primaryKey({ columns: [table.connectorKey, table.urlPath] })],
);

/** Deliveries that were taken, so that one that comes again is recognised. The old ones go. */
export const paymentWebhookDeliveries = sqliteTable(
  "payment_webhook_deliveries",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    connectorKey: integer("connector_key").notNull(),
    /** The digest of the key that the plugin has found in it. */
    digest: text("digest").notNull(),
    receivedAt: text("received_at").$type<Timestamp>().notNull(),
  },
  (table) => [
    uniqueIndex("payment_webhook_deliveries_of_connector").on(table.connectorKey, table.digest),
  ],
);
