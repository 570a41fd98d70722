import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { Timestamp } from "#platform/time.ts";

/** Triggers. The input of a client never changes, and the occurrences of deleted triggers stay readable. */
export const orchestrationTriggers = sqliteTable(
  "orchestration_triggers",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    id: text("id").notNull().unique(),
    name: text("name").notNull(),
    event: text("event").notNull(),
    version: text("version"),
    filter: text("filter"),
    workflowKey: integer("workflow_key").notNull(),
    /** Expressions by the names of the variables whose values they give, as JSON. */
    vars: text("vars").notNull(),
    /** The principal that has created the trigger, as JSON. Instances of the trigger act for this principal, and may do no more. */
    principal: text("principal").notNull(),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    deletedAt: text("deleted_at").$type<Timestamp>(),
    /**
     * Since when the trigger is stopped, because it was part of a loop, and the id of the occurrence that has stopped it; null for a
     * trigger that fires.
     */
    stoppedAt: text("stopped_at").$type<Timestamp>(),
    stoppedBy: text("stopped_by"),
    /** The number of triggers that led to the event at which the trigger was stopped. */
    stoppedDepth: integer("stopped_depth"),
  },
  (table) => [
    index("orchestration_triggers_listed").on(table.deletedAt, table.key),
    index("orchestration_triggers_event").on(table.event, table.deletedAt, table.key),
    index("orchestration_triggers_stopped")
      .on(table.stoppedAt)
      .where(sql`stopped_at IS NOT NULL AND deleted_at IS NULL`),
  ],
);

/**
 * One row, whose value is replaced by each creation and deletion of a trigger. Triggers that were read under a value are valid as long as
 * the value stays. A counter would come to the same number twice where the database is set back to an earlier time.
 */
export const orchestrationTriggerGeneration = sqliteTable("orchestration_trigger_generation", {
  one: integer("one").primaryKey(),
  generation: text("generation").notNull(),
});

/** Firings of triggers, which have ended or are still to be done. */
export const orchestrationOccurrences = sqliteTable(
  "orchestration_occurrences",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    id: text("id").notNull().unique(),
    triggerKey: integer("trigger_key").notNull(),
    /** The key for which a trigger fires at most once; see `firingKey`. */
    dedupKey: text("dedup_key").notNull(),
    date: text("date").$type<Timestamp>().notNull(),
    /** The event with its envelope, as JSON. */
    event: text("event").notNull(),
    /**
     * What is left to do: `filter` evaluates the filter and then fires, `fire` starts the instance, `done` has ended. An occurrence that
     * was purged keeps only its key, so that nothing fires for it again: for a while (`expired`), or for ever (`known`).
     */
    state: text("state", { enum: ["filter", "fire", "done", "expired", "known"] }).notNull(),
    attempts: integer("attempts").notNull(),
    /** When the sweep announces the occurrence; null once it is done. */
    dueAt: text("due_at").$type<Timestamp>(),
    /** Until when an attempt has leased the occurrence. */
    leaseUntil: text("lease_until").$type<Timestamp>(),
    instanceId: text("instance_id"),
    error: text("error"),
    /** The number of triggers that led to the event, one after the other. */
    causationDepth: integer("causation_depth").notNull().default(0),
    /** What has caused the event (`platform/tracing/cause.ts`); null where it is not known. */
    cause: text("cause"),
  },
  (table) => [
    uniqueIndex("orchestration_occurrences_once").on(table.triggerKey, table.dedupKey),
    index("orchestration_occurrences_listed").on(table.triggerKey, table.state, table.key),
    index("orchestration_occurrences_due").on(table.dueAt),
    index("orchestration_occurrences_instance")
      .on(table.instanceId)
      .where(sql`instance_id IS NOT NULL`),
    index("orchestration_occurrences_failed")
      .on(table.date)
      .where(sql`state = 'done' AND instance_id IS NULL`),
    index("orchestration_occurrences_expired")
      .on(table.date)
      .where(sql`state = 'expired'`),
  ],
);
