import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { UnfinishedState } from "./state.ts";
import type { Timestamp } from "#platform/time.ts";

/** Instances: one execution of a workflow each. */
export const orchestrationInstances = sqliteTable(
  "orchestration_instances",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    id: text("id").notNull().unique(),
    workflowKey: integer("workflow_key").notNull(),
    /** Texts by name, as JSON. */
    variables: text("variables").notNull(),
    /** Who has started it, as JSON: it acts for this principal, and may do no more. */
    principal: text("principal").notNull(),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    updatedAt: text("updated_at").$type<Timestamp>().notNull(),
    terminatedAt: text("terminated_at").$type<Timestamp>(),
    error: text("error"),
    /** The stage that it is at; the number of stages once all are done. */
    stage: integer("stage").notNull(),
    /** Counts the executions on the platform: each has an instance `<id>-<run>` there. */
    run: integer("run").notNull(),
    /** Counts how often it was begun anew after a failure. */
    round: integer("round").notNull(),
    /** When something is to be done, or by when it must have moved; null while it waits for an event, and at its end. */
    dueAt: text("due_at").$type<Timestamp>(),
    /** Another one after each change, so that two who work on it notice each other. */
    changeId: text("change_id").notNull(),
    /** How it is, null for one that has succeeded: those are most, and nobody looks for them. */
    state: text("state").$type<UnfinishedState>(),
    /** What it waits for, or what is tried again, as JSON; null where it does neither. */
    hold: text("hold"),
    /** How many triggers, one after the other, led to it. */
    causationDepth: integer("causation_depth").notNull().default(0),
  },
  (table) => [
    index("orchestration_instances_workflow").on(table.workflowKey, table.key),
    index("orchestration_instances_due").on(table.dueAt),
    index("orchestration_instances_changed")
      .on(table.updatedAt)
      .where(sql`due_at IS NOT NULL`),
    index("orchestration_instances_running").on(table.terminatedAt, table.key),
    index("orchestration_instances_state")
      .on(table.state, table.key)
      .where(sql`state IS NOT NULL`),
  ],
);

/** The stages that instances have come to. */
export const orchestrationStages = sqliteTable(
  "orchestration_stages",
  {
    instanceKey: integer("instance_key").notNull(),
    number: integer("number").notNull(),
    startedAt: text("started_at").$type<Timestamp>().notNull(),
    terminatedAt: text("terminated_at").$type<Timestamp>(),
    /** Why it has failed, as the instance says it, and as its history does. */
    error: text("error"),
    historyError: text("history_error"),
  },
  (table) => [primaryKey({ columns: [table.instanceKey, table.number] })],
);

/** The calls of other modules that stages make. */
export const orchestrationActivities = sqliteTable(
  "orchestration_activities",
  {
    instanceKey: integer("instance_key").notNull(),
    stage: integer("stage").notNull(),
    ordinal: integer("ordinal").notNull(),
    name: text("name").notNull(),
    /** What is asked for and what came of it, as JSON. */
    input: text("input").notNull(),
    output: text("output"),
    error: text("error"),
    /** The kind of the failure, by which some are no failures of the stage. */
    errorKind: text("error_kind"),
    attempt: integer("attempt").notNull(),
    lastFailure: text("last_failure"),
    nextExecution: text("next_execution").$type<Timestamp>().notNull(),
    startedAt: text("started_at").$type<Timestamp>().notNull(),
    terminatedAt: text("terminated_at").$type<Timestamp>(),
  },
  (table) => [primaryKey({ columns: [table.instanceKey, table.stage, table.ordinal] })],
);

/** Everything that has happened to instances, in order. Nothing of it changes. */
export const orchestrationMoments = sqliteTable(
  "orchestration_moments",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    instanceKey: integer("instance_key").notNull(),
    at: text("at").$type<Timestamp>().notNull(),
    kind: text("kind").notNull(),
    stage: integer("stage"),
    /** What belongs to the kind, as JSON. */
    data: text("data").notNull(),
  },
  (table) => [index("orchestration_moments_instance").on(table.instanceKey, table.key)],
);
