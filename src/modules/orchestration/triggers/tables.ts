import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { Timestamp } from "#platform/time.ts";

/** Triggers. What a client has said of one never changes, and the occurrences of those that are deleted stay readable. */
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
    /** Expressions by name, as JSON. */
    vars: text("vars").notNull(),
    /** Who has created it, as JSON: what it starts acts for this principal, and may do no more. */
    principal: text("principal").notNull(),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    deletedAt: text("deleted_at").$type<Timestamp>(),
    /** Since when it fires no more, as it was part of a loop, and at which occurrence that was noticed; null for one that fires. */
    stoppedAt: text("stopped_at").$type<Timestamp>(),
    stoppedBy: text("stopped_by"),
    /** How many triggers had led to the event of that occurrence. */
    stoppedDepth: integer("stopped_depth"),
  },
  (table) => [
    index("orchestration_triggers_listed").on(table.deletedAt, table.key),
    index("orchestration_triggers_event").on(table.event, table.deletedAt, table.key),
  ],
);

/**
 * One row, whose value is another one after each creation and deletion of a trigger: whoever has read the triggers under a value knows them as
 * long as it stays. It is no counter, which would come to the same number twice where the database is set back to an earlier time.
 */
export const orchestrationTriggerGeneration = sqliteTable("orchestration_trigger_generation", {
  one: integer("one").primaryKey(),
  generation: text("generation").notNull(),
});

/** What triggers have fired for, and what they are about to. */
export const orchestrationOccurrences = sqliteTable(
  "orchestration_occurrences",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    id: text("id").notNull().unique(),
    triggerKey: integer("trigger_key").notNull(),
    /** What a trigger fires for at most once. */
    dedupKey: text("dedup_key").notNull(),
    date: text("date").$type<Timestamp>().notNull(),
    /** The event with its envelope, as JSON. */
    event: text("event").notNull(),
    /**
     * What is left to do: to decide whether it fires at all, then to start the instance. Of one that is done and was purged, only what it
     * fired for is left, so that nothing fires for it again: for a while, or for ever.
     */
    state: text("state", { enum: ["filter", "fire", "done", "expired", "known"] }).notNull(),
    attempts: integer("attempts").notNull(),
    /** When something is to be done next; null once it is done. */
    dueAt: text("due_at").$type<Timestamp>(),
    /** Until when somebody is at it. */
    leaseUntil: text("lease_until").$type<Timestamp>(),
    instanceId: text("instance_id"),
    error: text("error"),
    /** How many triggers, one after the other, led to the event. */
    causationDepth: integer("causation_depth").notNull().default(0),
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
