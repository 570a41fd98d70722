import { sql } from "drizzle-orm";
import { blob, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Timestamp } from "#platform/time.ts";
import { pendingIndex, syncColumns } from "#platform/work/sync-columns.ts";

/**
 * Who gets which events. Each change counts the revision up, which a reconciler brings to the object of the config's endpoint.
 * A deleted config stays until its object has purged the last delivery.
 */
export const webhookConfigs = sqliteTable(
  "webhook_configs",
  {
    id: text("id").primaryKey(),
    /** With masks in place of the secrets in the URL. */
    endpoint: text("endpoint").notNull(),
    /** The URL with its secrets, encrypted; null where it has none. */
    sealedEndpoint: text("sealed_endpoint"),
    /** Encrypted. */
    secret: text("secret").notNull(),
    /** Encrypted: JSON array of the secrets before it, each with the time until which it signs as well. */
    previousSecrets: text("previous_secrets"),
    /** JSON array of lower-case names. */
    eventTypes: text("event_types").notNull(),
    name: text("name").notNull(),
    active: integer("active", { mode: "boolean" }).notNull(),
    /** The last revision that deactivated it; 0 for none. */
    endedRevision: integer("ended_revision").notNull().default(0),
    /** Whether that one did because the endpoint kept failing. */
    hasFailed: integer("has_failed", { mode: "boolean" }).notNull().default(false),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    updatedAt: text("updated_at").$type<Timestamp>().notNull(),
    deletedAt: text("deleted_at").$type<Timestamp>(),
    /** The minute of the last test request, counted from the Unix epoch. */
    testMinute: integer("test_minute"),
    /** How many test requests there were in that minute. */
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
    pendingIndex("webhook_configs_pending", table),
  ],
);

/** The bodies of delivered events that no log tells again, by the ids of the events. */
export const webhookPayloads = sqliteTable(
  "webhook_payloads",
  {
    eventId: text("event_id").primaryKey(),
    /** In milliseconds since the epoch, as `keepUntilMs`: bodies are many, and the text of a date is four times as long. */
    createdMs: integer("created_ms").notNull(),
    /** Until when it is kept, whatever its deliveries need; then `bodies/payload-purge.ts` asks their lanes. */
    keepUntilMs: integer("keep_until_ms").notNull(),
    /** See `bodies/body-compression.ts`. */
    body: blob("body", { mode: "buffer" }).notNull(),
  },
  (table) => [index("webhook_payloads_due").on(table.keepUntilMs)],
);

/** Events that the objects of endpoints did not take yet, without their bodies. */
export const webhookOwed = sqliteTable(
  "webhook_owed",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    configId: text("config_id").notNull(),
    /** The revision of the config with which they are owed. */
    revision: integer("revision").notNull(),
    /** JSON. */
    batch: text("batch").notNull(),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    /** When they are given again. */
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
    /** Names the request in the objects that it reaches. */
    id: text("id").notNull(),
    requestHash: text("request_hash").notNull(),
    /** What the request comes down to, as JSON: decided once, so that a repetition does the same. */
    plan: text("plan"),
    /** The answer, as JSON, once there is one; `null` in JSON where the request was refused, so that its key is free. */
    response: text("response"),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
  },
  (table) => [index("webhook_replays_purged").on(table.createdAt)],
);
