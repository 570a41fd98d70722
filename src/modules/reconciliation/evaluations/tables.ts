import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Timestamp } from "#platform/time.ts";

/** Evaluations of rules. They never change. */
export const reconciliationEvaluations = sqliteTable(
  "reconciliation_evaluations",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    id: text("id").notNull().unique(),
    ruleKey: integer("rule_key").notNull(),
    ruleId: text("rule_id").notNull(),
    result: text("result", { enum: ["PASS", "FAIL", "ERROR"] }).notNull(),
    startedAt: text("started_at").$type<Timestamp>().notNull(),
    endedAt: text("ended_at").$type<Timestamp>().notNull(),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    /** The moment as of which each source was read, as JSON, by the key of the source. */
    moments: text("moments").notNull(),
    /** The outcomes as JSON, or the object that describes an error. */
    evidence: text("evidence").notNull(),
    error: text("error"),
    /** The number of reads of ledgers and pools. */
    costUnits: integer("cost_units").notNull(),
    /** Why the evaluation ran, as JSON; see `core/run-cause.ts`. */
    cause: text("cause").notNull(),
  },
  (table) => [
    index("reconciliation_evaluations_listed").on(table.createdAt),
    index("reconciliation_evaluations_of_result").on(table.result, table.createdAt),
    index("reconciliation_evaluations_of_rule").on(table.ruleKey, table.createdAt),
    index("reconciliation_evaluations_passed")
      .on(table.createdAt)
      .where(sql`result = 'PASS'`),
  ],
);
