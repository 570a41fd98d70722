import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { UnfinishedState } from "./state.ts";
import type { Timestamp } from "#platform/time.ts";

/** Instances. Each is one execution of a workflow. */
export const orchestrationInstances = sqliteTable(
  "orchestration_instances",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    id: text("id").notNull().unique(),
    workflowKey: integer("workflow_key").notNull(),
    /** Variables, texts by name, as JSON. */
    variables: text("variables").notNull(),
    /** The principal that has started the instance, as JSON. The instance acts for this principal, and may do no more. */
    principal: text("principal").notNull(),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    updatedAt: text("updated_at").$type<Timestamp>().notNull(),
    terminatedAt: text("terminated_at").$type<Timestamp>(),
    error: text("error"),
    /** The number of the current stage; the number of all stages once they are done. */
    stage: integer("stage").notNull(),
    /** Number of the current run. Each run is an instance of its own on the platform, named `<id>-<run>`. */
    run: integer("run").notNull(),
    /** 1 for a new instance, and one more with each retry. */
    round: integer("round").notNull(),
    /**
     * By when the instance has to change again; then the sweep looks after it. Null while the instance waits for an event, and once it has
     * ended.
     */
    dueAt: text("due_at").$type<Timestamp>(),
    /** A new id with each transition, by which concurrent transitions notice each other. */
    changeId: text("change_id").notNull(),
    /** The state; null for an instance that has succeeded, so that the index of states leaves out most rows. */
    state: text("state").$type<UnfinishedState>(),
    /** What the instance waits for, or the activity that is tried again, as JSON; null for an instance that does neither. */
    hold: text("hold"),
    /** The number of triggers that led to the instance, one after the other. */
    causationDepth: integer("causation_depth").notNull().default(0),
    /** What has caused it (`platform/tracing/cause.ts`); null where it is not known. */
    cause: text("cause"),
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
    /** Why the stage has failed: as the instance shows it, and as the history shows it. */
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
    /** Input and output of the activity, as JSON. */
    input: text("input").notNull(),
    output: text("output"),
    error: text("error"),
    /** The kind of the failure. Some kinds, such as a reference that is taken, are no failure of the stage. */
    errorKind: text("error_kind"),
    attempt: integer("attempt").notNull(),
    lastFailure: text("last_failure"),
    nextExecution: text("next_execution").$type<Timestamp>().notNull(),
    startedAt: text("started_at").$type<Timestamp>().notNull(),
    terminatedAt: text("terminated_at").$type<Timestamp>(),
  },
  (table) => [primaryKey({ columns: [table.instanceKey, table.stage, table.ordinal] })],
);

/** Everything that has happened to instances, in order. Moments never change. */
export const orchestrationMoments = sqliteTable(
  "orchestration_moments",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    instanceKey: integer("instance_key").notNull(),
    at: text("at").$type<Timestamp>().notNull(),
    kind: text("kind").notNull(),
    stage: integer("stage"),
    /** Data of the moment, as JSON, whose form depends on the kind. */
    data: text("data").notNull(),
  },
  (table) => [index("orchestration_moments_instance").on(table.instanceKey, table.key)],
);
