import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { MatchingRunState } from "./engine/heads.ts";
import type { Timestamp } from "#platform/time.ts";

/** Matchings. A matching that is deleted is shown no more; the sweep of the retention empties its object and deletes its rows. */
export const reconciliationMatchings = sqliteTable(
  "reconciliation_matchings",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    id: text("id").notNull().unique(),
    name: text("name").notNull(),
    leftSourceId: text("left_source_id").notNull(),
    rightSourceId: text("right_source_id").notNull(),
    /** In days since 1970-01-01, both included; null for a period without an end. */
    periodFrom: integer("period_from").notNull(),
    periodTo: integer("period_to"),
    /** The passes as JSON; null for those that ship. */
    passes: text("passes"),
    threshold: integer("threshold").notNull(),
    timingDays: integer("timing_days").notNull(),
    /** The accounts of corrections. */
    suspenseAccount: text("suspense_account").notNull(),
    feesAccount: text("fees_account").notNull(),
    /** The names of all ledgers that the sources read, or have read in a run, as a JSON list, and whether they read payments. */
    ledgers: text("ledgers").notNull(),
    hasPayments: integer("has_payments", { mode: "boolean" }).notNull(),
    /** The principal that created the matching, as JSON. */
    createdBy: text("created_by").notNull(),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    updatedAt: text("updated_at").$type<Timestamp>().notNull(),
    deletedAt: text("deleted_at").$type<Timestamp>(),
    /** Grows with each change. */
    revision: integer("revision").notNull(),
    /** The head of the last run that the object has told of, as JSON; null before the first one. */
    lastRun: text("last_run"),
    /** The last decision of the object that has its entry in the audit. */
    auditedDecision: integer("audited_decision").notNull().default(0),
  },
  (table) => [index("reconciliation_matchings_listed").on(table.deletedAt, table.createdAt)],
);

/** Heads of runs, as their objects have told of them: at the beginning, when all lines are collected, and at the end. */
export const reconciliationMatchingRuns = sqliteTable(
  "reconciliation_matching_runs",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    matchingKey: integer("matching_key").notNull(),
    /** From 1 in each matching. */
    number: integer("number").notNull(),
    state: text("state").$type<MatchingRunState>().notNull(),
    /** The head as JSON. */
    head: text("head").notNull(),
  },
  (table) => [
    uniqueIndex("reconciliation_matching_runs_of_matching").on(table.matchingKey, table.number),
  ],
);
