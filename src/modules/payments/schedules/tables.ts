import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { FetchTask } from "#modules/payments/connectors/contract.ts";
import type { Timestamp } from "#platform/time.ts";

/**
 * Schedules of an installation, one for each root of its tree of tasks. A run of a schedule fetches the new items of the
 * root, and then the items below them. The row also holds the position of the run under way, so that the run continues
 * after a crash.
 */
export const paymentSchedules = sqliteTable(
  "payment_schedules",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    connectorKey: integer("connector_key").notNull(),
    /** The task of the root of the schedule's tree. */
    task: text("task").$type<FetchTask>().notNull(),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    /** Set after too many failed runs in a row; null again after a successful probe or a new configuration. */
    pausedAt: text("paused_at").$type<Timestamp>(),
    pausedReason: text("paused_reason"),
    /**
     * The time of the next step: of the next run, which is a probe for a paused schedule, or of the next page of the run
     * under way.
     */
    nextAt: text("next_at").$type<Timestamp>().notNull(),
    /** Counts changes. A change is refused if the count has moved since the schedule was read. */
    version: integer("version").notNull().default(0),
    /** The run under way; null between runs. */
    instanceKey: integer("instance_key"),
    /** The position of the run: a node of the tree, and the last of the node's fetches that is done. */
    node: text("node").notNull().default(""),
    fetchKey: integer("fetch_key").notNull().default(0),
    /** Failures in a row of the call that is due. */
    attempts: integer("attempts").notNull().default(0),
    /** Fetches in a row that the run has given up. */
    givenUp: integer("given_up").notNull().default(0),
    /** Items that the run has stored so far because they are new or have changed. */
    items: integer("items").notNull().default(0),
    /** The first error of the run. */
    error: text("error"),
    /** Failed runs in a row. */
    failures: integer("failures").notNull().default(0),
    /** The end of the first of the failed runs in a row; null if the last run succeeded. */
    failingSince: text("failing_since").$type<Timestamp>(),
    /** The time since which runs have been missing some of their items; null if the last run had all of them. */
    degradedSince: text("degraded_since").$type<Timestamp>(),
    /** The last time at which the run under way began, stored a page or gave up an item. */
    progressAt: text("progress_at").$type<Timestamp>(),
    lastSuccessAt: text("last_success_at").$type<Timestamp>(),
    lastFailureAt: text("last_failure_at").$type<Timestamp>(),
    lastError: text("last_error"),
    /** The items that the last run has stored because they were new or had changed. */
    lastItems: integer("last_items"),
    /** JSON: confirmations of balances that no balance row holds yet, see `balances/confirmations.ts`; null for none. */
    confirmed: text("confirmed"),
  },
  (table) => [
    uniqueIndex("payment_schedules_of_connector").on(table.connectorKey, table.task),
    index("payment_schedules_due").on(table.nextAt),
  ],
);

/** Fetches: one for the root of a schedule and one for each parent item, with the plugin's state. */
export const paymentFetches = sqliteTable(
  "payment_fetches",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    scheduleKey: integer("schedule_key").notNull(),
    /** The tasks from the root to this fetch, joined by slashes. */
    node: text("node").notNull(),
    /** The reference of the parent item; empty for a root. */
    parent: text("parent").notNull(),
    /** JSON of the parent item when it was first seen; null for a root. */
    payload: text("payload"),
    /** JSON of the plugin's state; null before the first call, and for a plugin that keeps no state. */
    state: text("state"),
    /** 0 after the fetch of a node that runs once for each report of its parent; the next report of the parent sets it to 1. */
    isDue: integer("is_due").notNull().default(1),
    /** Failed runs in a row of this fetch. */
    failures: integer("failures").notNull().default(0),
    /** The time before which runs leave the fetch out, because it has failed in too many of them. */
    retryAt: text("retry_at").$type<Timestamp>(),
  },
  (table) => [
    uniqueIndex("payment_fetches_of_item").on(table.scheduleKey, table.node, table.parent),
    index("payment_fetches_walk").on(table.scheduleKey, table.node, table.key),
    index("payment_fetches_failing")
      .on(table.scheduleKey)
      .where(sql`failures > 0`),
  ],
);

/** Runs of schedules. Only the latest `INSTANCES_KEPT` of a schedule are kept. */
export const paymentInstances = sqliteTable(
  "payment_instances",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    scheduleKey: integer("schedule_key").notNull(),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    updatedAt: text("updated_at").$type<Timestamp>().notNull(),
    terminatedAt: text("terminated_at").$type<Timestamp>(),
    error: text("error"),
  },
  (table) => [index("payment_instances_listed").on(table.scheduleKey, table.createdAt, table.key)],
);
