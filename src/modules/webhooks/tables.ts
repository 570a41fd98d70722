import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { AttemptOutcome, DeliveryStatus } from "./core/delivery.ts";
import type { Timestamp } from "#platform/time.ts";

/** Who gets which events. The row of a deleted config stays, because deliveries refer to it. */
export const webhookConfigs = sqliteTable(
  "webhook_configs",
  {
    id: text("id").primaryKey(),
    endpoint: text("endpoint").notNull(),
    /** Encrypted. */
    secret: text("secret").notNull(),
    /** Encrypted: JSON array of the secrets before it, each with the time until which it signs as well. */
    previousSecrets: text("previous_secrets"),
    /** JSON array of lower-case names. */
    eventTypes: text("event_types").notNull(),
    name: text("name").notNull(),
    active: integer("active", { mode: "boolean" }).notNull(),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    updatedAt: text("updated_at").$type<Timestamp>().notNull(),
    deletedAt: text("deleted_at").$type<Timestamp>(),
    /** The minute of the last test request, counted from the Unix epoch. */
    testMinute: integer("test_minute"),
    /** How many test requests there were in that minute. */
    testCount: integer("test_count").notNull().default(0),
  },
  (table) => [
    index("webhook_configs_listed")
      .on(table.updatedAt, table.id)
      .where(sql`deleted_at IS NULL`),
    index("webhook_configs_tested")
      .on(table.testMinute)
      .where(sql`test_minute IS NOT NULL`),
  ],
);

/** One row for each event and each config that it matched. */
export const webhookDeliveries = sqliteTable(
  "webhook_deliveries",
  {
    /** Sent as `formance-webhook-id`: equal on every attempt and replay. */
    id: text("id").primaryKey(),
    eventId: text("event_id").notNull(),
    configId: text("config_id")
      .notNull()
      .references(() => webhookConfigs.id, { onDelete: "restrict" }),
    eventType: text("event_type").notNull(),
    idempotencyKey: text("idempotency_key").notNull(),
    status: text("status").$type<DeliveryStatus>().notNull(),
    /** Attempts in the current replay generation. */
    attemptCount: integer("attempt_count").notNull(),
    replayGeneration: integer("replay_generation").notNull(),
    /** First claim of the generation. */
    cycleStartedAt: text("cycle_started_at").$type<Timestamp>(),
    /** Set exactly while `pending`. */
    nextAttemptAt: text("next_attempt_at").$type<Timestamp>(),
    /** Set exactly while `delivering`; whoever settles the delivery must know it. */
    claimedAt: text("claimed_at").$type<Timestamp>(),
    lastAttemptAt: text("last_attempt_at").$type<Timestamp>(),
    lastStatusCode: integer("last_status_code"),
    lastError: text("last_error"),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    updatedAt: text("updated_at").$type<Timestamp>().notNull(),
    /** The body, byte for byte, of every attempt. The last column, so that reading the others never pages through it. */
    payload: text("payload").notNull(),
  },
  (table) => [
    uniqueIndex("webhook_deliveries_event").on(table.eventId, table.configId),
    index("webhook_deliveries_due")
      .on(table.nextAttemptAt, table.id)
      .where(sql`status = 'pending'`),
    index("webhook_deliveries_pending")
      .on(table.configId)
      .where(sql`status = 'pending'`),
    index("webhook_deliveries_claimed")
      .on(table.claimedAt)
      .where(sql`status = 'delivering'`),
  ],
);

/** One row for each call of an endpoint; rows are only added. */
export const webhookDeliveryAttempts = sqliteTable(
  "webhook_delivery_attempts",
  {
    id: text("id").primaryKey(),
    deliveryId: text("delivery_id")
      .notNull()
      .references(() => webhookDeliveries.id, { onDelete: "cascade" }),
    /** Counts from 1 in each generation. */
    attemptNumber: integer("attempt_number").notNull(),
    replayGeneration: integer("replay_generation").notNull(),
    endpoint: text("endpoint").notNull(),
    outcome: text("outcome").$type<AttemptOutcome>().notNull(),
    /** 0 when no answer came. */
    statusCode: integer("status_code").notNull(),
    error: text("error"),
    durationMs: integer("duration_ms").notNull(),
    responseExcerpt: text("response_excerpt"),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
  },
  (table) => [
    uniqueIndex("webhook_delivery_attempts_number").on(
      table.deliveryId,
      table.replayGeneration,
      table.attemptNumber,
    ),
  ],
);
