import { sql } from "drizzle-orm";
import { blob, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Timestamp } from "#platform/time.ts";
import { pendingIndex, syncColumns } from "#platform/work/sync-columns.ts";

/**
 * Webhook configs. Each change increments the revision, which a reconciler brings to the object of the config's endpoint. A
 * deleted config stays until its object has purged the last delivery.
 */
export const webhookConfigs = sqliteTable(
  "webhook_configs",
  {
    id: text("id").primaryKey(),
    /** The URL with masks in place of its secrets. */
    endpoint: text("endpoint").notNull(),
    /** The URL with its secrets, encrypted; null where it has none. */
    sealedEndpoint: text("sealed_endpoint"),
    /** The current secret, encrypted. */
    secret: text("secret").notNull(),
    /** JSON array of the earlier secrets, each with the time until which it still signs, encrypted; null for none. */
    previousSecrets: text("previous_secrets"),
    /** JSON array of event types in lower case. */
    eventTypes: text("event_types").notNull(),
    name: text("name").notNull(),
    active: integer("active", { mode: "boolean" }).notNull(),
    /** The last revision that deactivated the config; 0 for none. */
    endedRevision: integer("ended_revision").notNull().default(0),
    /** Whether the config was deactivated because its endpoint kept failing. */
    hasFailed: integer("has_failed", { mode: "boolean" }).notNull().default(false),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    updatedAt: text("updated_at").$type<Timestamp>().notNull(),
    deletedAt: text("deleted_at").$type<Timestamp>(),
    /** The minute of the last test request, counted from the Unix epoch. */
    testMinute: integer("test_minute"),
    /** Number of test requests in the minute of the last test request. */
    testCount: integer("test_count").notNull().default(0),
    ...syncColumns(),
  },
  (table) => [
    index("webhook_configs_listed")
      .on(table.updatedAt, table.id)
      .where(sql`deleted_at IS NULL`),
    index("webhook_configs_tested")
      .on(table.testMinute)
      .where(sql`test_minute IS NOT NULL`),
    index("webhook_configs_failed")
      .on(table.updatedAt)
      .where(sql`has_failed = 1 AND deleted_at IS NULL`),
    pendingIndex("webhook_configs_pending", table),
  ],
);

/** The bodies of delivered events of the outbox, which no log can produce again, by the ids of the events. */
export const webhookPayloads = sqliteTable(
  "webhook_payloads",
  {
    eventId: text("event_id").primaryKey(),
    /** In milliseconds since the epoch, like `keepUntilMs`: there are many bodies, and a date as text takes four times the space. */
    createdMs: integer("created_ms").notNull(),
    /** Until when the body is kept without a question; `bodies/payload-purge.ts` then asks the lanes. */
    keepUntilMs: integer("keep_until_ms").notNull(),
    /** The body in the form of `bodies/body-compression.ts`. */
    body: blob("body", { mode: "buffer" }).notNull(),
  },
  (table) => [index("webhook_payloads_due").on(table.keepUntilMs)],
);

/** Batches of events that lanes did not take yet, without bodies. */
export const webhookOwed = sqliteTable(
  "webhook_owed",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    configId: text("config_id").notNull(),
    /** The revision of the config for which the sender owed the events. */
    revision: integer("revision").notNull(),
    /** An `EventBatch` as JSON. */
    batch: text("batch").notNull(),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    /** When the batch is given to its lane again. */
    dueAt: text("due_at").$type<Timestamp>().notNull(),
  },
  (table) => [
    index("webhook_owed_due").on(table.dueAt),
    index("webhook_owed_config").on(table.configId, table.dueAt),
  ],
);

/** Requests to replay deliveries, by their idempotency key. */
export const webhookReplays = sqliteTable(
  "webhook_replays",
  {
    key: text("key").primaryKey(),
    /** The name of the request in the objects that replay deliveries. */
    id: text("id").notNull(),
    requestHash: text("request_hash").notNull(),
    /** The plan of the request, as JSON. It is decided once, so that a repetition does the same. */
    plan: text("plan"),
    /** The answer as JSON, once there is one; the text `null` if the request was refused, which frees the key. */
    response: text("response"),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
  },
  (table) => [index("webhook_replays_purged").on(table.createdAt)],
);
