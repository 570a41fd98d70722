import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { ConnectorHealth } from "#modules/payments/core/connector-health.ts";
import type { Timestamp } from "#platform/time.ts";
import { pendingIndex, syncColumns } from "#platform/work/sync-columns.ts";

/** Installed connectors. All rows that a connector owns name it by its key, which is shorter than its id and never comes again. */
export const paymentConnectors = sqliteTable(
  "payment_connectors",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    /** The kind: `generic`. */
    provider: text("provider").notNull(),
    /** The UUID in its id. */
    reference: text("reference").notNull().unique(),
    name: text("name").notNull().unique(),
    /** Encrypted: JSON of the fields of its kind under their canonical names, the secret ones included. */
    config: text("config").notNull(),
    pollingPeriodMs: integer("polling_period_ms").notNull(),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    updatedAt: text("updated_at").$type<Timestamp>(),
    /** Set while it is being uninstalled: nothing is stored for it any more. */
    deletedAt: text("deleted_at").$type<Timestamp>(),
    /** Before this, its provider takes no requests: it has said so. */
    heldUntil: text("held_until").$type<Timestamp>(),
    /** How its schedules are doing together; see `health/transition.ts`. */
    health: text("health").$type<ConnectorHealth>().notNull().default("healthy"),
    /** Since when; null from its installation on. */
    healthSince: text("health_since").$type<Timestamp>(),
    /** Counts the changes of its health, so that each is made once and of what was read. */
    healthVersion: integer("health_version").notNull().default(0),
    /** The URL under which its provider reaches this server, where the client's request has shown it. */
    publicUrl: text("public_url"),
    /** The UUID of the installation that takes its place when its rows are gone: it is being reset. */
    successor: text("successor"),
    /** Of what its object is told. */
    ...syncColumns(),
  },
  (table) => [
    index("payment_connectors_listed").on(table.createdAt, table.key),
    index("payment_connectors_deleted")
      .on(table.deletedAt)
      .where(sql`deleted_at IS NOT NULL`),
    pendingIndex("payment_connectors_pending", { syncAfter: table.syncAfter, id: table.key }),
  ],
);

/** Texts that plugins keep for their installations. */
export const paymentPluginTexts = sqliteTable(
  "payment_plugin_texts",
  {
    connectorKey: integer("connector_key").notNull(),
    name: text("name").notNull(),
    /** Encrypted. */
    value: text("value").notNull(),
  },
  (table) => [primaryKey({ columns: [table.connectorKey, table.name] })],
);
