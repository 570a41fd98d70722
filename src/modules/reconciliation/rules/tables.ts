import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { PeriodType, Severity, TemplateKind } from "#modules/reconciliation/core/rule.ts";
import type { Timestamp } from "#platform/time.ts";

/** Rules. A rule that is deleted is shown and run no more; the sweep of the retention deletes what belongs to it and then its row. */
export const reconciliationRules = sqliteTable(
  "reconciliation_rules",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    id: text("id").notNull().unique(),
    name: text("name").notNull(),
    templateKind: text("template_kind").$type<TemplateKind>().notNull(),
    /** The specification as the client has given it, as JSON. */
    templateSpec: text("template_spec").notNull(),
    enabled: integer("enabled", { mode: "boolean" }).notNull(),
    severity: text("severity").$type<Severity>().notNull(),
    periodType: text("period_type").$type<PeriodType>().notNull(),
    /** The schedule as JSON; null for none. */
    schedule: text("schedule"),
    /** The full names of the events on which the rule runs, as a JSON list; null for a rule that does not run on events. */
    eventTypes: text("event_types"),
    /** JSON of the types of events that are published, and of the labels; null for all types, and for no labels. */
    notifications: text("notifications"),
    labels: text("labels"),
    /** The names of the ledgers that the rule reads, as a JSON list, and whether it reads pools. */
    ledgers: text("ledgers").notNull(),
    hasPools: integer("has_pools", { mode: "boolean" }).notNull(),
    /** The same of all that the rule has read since it was created. Its evaluations and alerts hold balances of these. */
    evidenceLedgers: text("evidence_ledgers").notNull(),
    evidenceHasPools: integer("evidence_has_pools", { mode: "boolean" }).notNull(),
    /** The principal that last changed the rule, as JSON. Scheduled runs have the present rights of this principal. */
    principal: text("principal").notNull(),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    updatedAt: text("updated_at").$type<Timestamp>().notNull(),
    deletedAt: text("deleted_at").$type<Timestamp>(),
    /** Grows with each change of the rule, so that an evaluation of an earlier revision stores nothing. */
    revision: integer("revision").notNull(),
    /** Grows with each change of an alert of the rule, so that an evaluation knows whether it has seen the alerts as they are. */
    alertRevision: integer("alert_revision").notNull(),
    /** The evaluation that holds the rule, and until when; null for none. */
    lockToken: text("lock_token"),
    lockUntil: text("lock_until").$type<Timestamp>(),
    /** The evaluation that was stored last. Statements of its batch test by it whether it was stored. */
    lastEvaluationId: text("last_evaluation_id"),
    /** The next time of a cron schedule; null without one, and while the rule is disabled. */
    nextAt: text("next_at").$type<Timestamp>(),
    /** When the rule runs because of events that have come; null for none. */
    eventsDueAt: text("events_due_at").$type<Timestamp>(),
    /** When the run began that answers events, until its evaluation is stored: a run that is lost is repeated. */
    eventsTakenAt: text("events_taken_at").$type<Timestamp>(),
    /** The longest chain of triggers that led to one of these events. */
    eventsDepth: integer("events_depth").notNull().default(0),
  },
  (table) => [
    index("reconciliation_rules_listed").on(table.deletedAt, table.createdAt),
    index("reconciliation_rules_next")
      .on(table.nextAt)
      .where(sql`next_at IS NOT NULL`),
    index("reconciliation_rules_events_due")
      .on(table.eventsDueAt)
      .where(sql`events_due_at IS NOT NULL`),
    index("reconciliation_rules_events_taken")
      .on(table.eventsTakenAt)
      .where(sql`events_taken_at IS NOT NULL`),
    index("reconciliation_rules_on_events")
      .on(table.key)
      .where(sql`event_types IS NOT NULL`),
  ],
);
