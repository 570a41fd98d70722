import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { FetchTask } from "#modules/payments/connectors/contract.ts";
import type { Timestamp } from "#platform/time.ts";

/**
 * What is polled of an installation: a root of its tree of tasks. A run of a schedule fetches what is new of the root, and then
 * all that hangs on its items. How far the run under way is stands here as well, so that it goes on after a crash.
 */
export const paymentSchedules = sqliteTable(
  "payment_schedules",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    connectorKey: integer("connector_key").notNull(),
    /** The task of the root. */
    task: text("task").$type<FetchTask>().notNull(),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    /** Set after too many failed runs in a row, until a probe succeeds or the configuration is changed. */
    pausedAt: text("paused_at").$type<Timestamp>(),
    pausedReason: text("paused_reason"),
    /** When there is something to do: the next run, which is a probe while it is paused, or the next page of the one under way. */
    nextAt: text("next_at").$type<Timestamp>().notNull(),
    /** Counts the changes, so that only one of two that were made of the same state is stored. */
    version: integer("version").notNull().default(0),
    /** The run under way; null between two of them. */
    instanceKey: integer("instance_key"),
    /** What the run is at: a node of the tree, and the last of its fetches that is done. */
    node: text("node").notNull().default(""),
    fetchKey: integer("fetch_key").notNull().default(0),
    /** How often the call that is due has failed in a row. */
    attempts: integer("attempts").notNull().default(0),
    /** How many fetches in a row the run has given up. */
    givenUp: integer("given_up").notNull().default(0),
    /** How many items the run has stored so far, because they are new or have changed. */
    items: integer("items").notNull().default(0),
    /** What has gone wrong in the run first. */
    error: text("error"),
    /** How many runs in a row have failed. */
    failures: integer("failures").notNull().default(0),
    /** When the first of the runs that have failed in a row has ended; null where the last run has not failed. */
    failingSince: text("failing_since").$type<Timestamp>(),
    /** Since when runs go on without some of their items; null where the last run had all of them. */
    degradedSince: text("degraded_since").$type<Timestamp>(),
    /** When the run under way has last come on: begun, stored a page or given up an item. */
    progressAt: text("progress_at").$type<Timestamp>(),
    lastSuccessAt: text("last_success_at").$type<Timestamp>(),
    lastFailureAt: text("last_failure_at").$type<Timestamp>(),
    lastError: text("last_error"),
    /** The same of the last run. */
    lastItems: integer("last_items"),
    /** JSON: confirmations of balances that are not stored elsewhere yet; see `balances/confirmations.ts`. Null for none. */
    confirmed: text("confirmed"),
  },
  (table) => [
    uniqueIndex("payment_schedules_of_connector").on(table.connectorKey, table.task),
    index("payment_schedules_due").on(table.nextAt),
  ],
);

/** What is fetched for one item: of a root for none. It keeps what the plugin has given as its state. */
export const paymentFetches = sqliteTable(
  "payment_fetches",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    scheduleKey: integer("schedule_key").notNull(),
    /** The tasks from the root on, joined by slashes. */
    node: text("node").notNull(),
    /** The reference of the item; empty for a root. */
    parent: text("parent").notNull(),
    /** JSON of the item as it was when it came first; null for a root. */
    payload: text("payload"),
    /** JSON; null before the first call, and where the plugin keeps none. */
    state: text("state"),
    /** 0 where it has run, and is not to run again before its item comes again. */
    isDue: integer("is_due").notNull().default(1),
    /** How many runs in a row it has failed in. */
    failures: integer("failures").notNull().default(0),
    /** Before this, it is left out of runs: it has failed in too many of them. */
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

/** The runs of schedules; only the latest are kept. */
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
