import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { ConnectorHealth } from "#modules/payments/core/connector-health.ts";
import type { Timestamp } from "#platform/time.ts";
import { pendingIndex, syncColumns } from "#platform/work/sync-columns.ts";

/** Installed connectors. All rows of a connector name it by its key, which is shorter than its id and is never used again. */
export const paymentConnectors = sqliteTable(
  "payment_connectors",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    /** The kind of the connector, such as `generic`. */
    provider: text("provider").notNull(),
    /** The UUID in the connector's id. */
    reference: text("reference").notNull().unique(),
    name: text("name").notNull().unique(),
    /** Encrypted JSON of the configuration: all fields of the kind, secret ones included, under their canonical names. */
    config: text("config").notNull(),
    pollingPeriodMs: integer("polling_period_ms").notNull(),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    updatedAt: text("updated_at").$type<Timestamp>(),
    /** Set while the connector is being uninstalled. Nothing is stored for the connector from then on. */
    deletedAt: text("deleted_at").$type<Timestamp>(),
    /** The time before which the provider wants no requests, according to its own answer. */
    heldUntil: text("held_until").$type<Timestamp>(),
    /** The worst health of the connector's schedules and movements; see `health/transition.ts`. */
    health: text("health").$type<ConnectorHealth>().notNull().default("healthy"),
    /** The time since which the connector has this health; null for a connector that has had it since its installation. */
    healthSince: text("health_since").$type<Timestamp>(),
    /**
     * Counts changes of health. A change is refused if the count has moved since the health was read, so each change is
     * made once.
     */
    healthVersion: integer("health_version").notNull().default(0),
    /** The URL under which the provider reaches this server; null if it was unknown when the connector was installed. */
    publicUrl: text("public_url"),
    /** The UUID of the installation that replaces this one when its rows are deleted; set during a reset. */
    successor: text("successor"),
    /** The revisions that the connector's object has and has not seen. */
    ...syncColumns(),
  },
  (table) => [
    index("payment_connectors_listed").on(table.createdAt, table.key),
    index("payment_connectors_deleted")
      .on(table.deletedAt)
      .where(sql`deleted_at IS NOT NULL`),
    index("payment_connectors_unhealthy")
      .on(table.healthSince)
      .where(sql`health <> 'healthy' AND deleted_at IS NULL`),
    pendingIndex("payment_connectors_pending", { syncAfter: table.syncAfter, id: table.key }),
  ],
);

/** Texts that plugins store for their installations. */
export const paymentPluginTexts = sqliteTable(
  "payment_plugin_texts",
  {
    connectorKey: integer("connector_key").notNull(),
    name: text("name").notNull(),
    /** The text, encrypted. */
    value: text("value").notNull(),
  },
  (table) => [primaryKey({ columns: [table.connectorKey, table.name] })],
);
