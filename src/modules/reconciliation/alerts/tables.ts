import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { AlertEventType, AlertStatus } from "#modules/reconciliation/core/alert.ts";
import type { Severity } from "#modules/reconciliation/core/rule.ts";
import type { Timestamp } from "#platform/time.ts";

/** Alerts: one for each failing fingerprint of a rule in a period. */
export const reconciliationAlerts = sqliteTable(
  "reconciliation_alerts",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    id: text("id").notNull().unique(),
    ruleKey: integer("rule_key").notNull(),
    ruleId: text("rule_id").notNull(),
    fingerprint: text("fingerprint").notNull(),
    periodId: text("period_id").notNull(),
    status: text("status").$type<AlertStatus>().notNull(),
    severity: text("severity").$type<Severity>().notNull(),
    firstSeenAt: text("first_seen_at").$type<Timestamp>().notNull(),
    lastSeenAt: text("last_seen_at").$type<Timestamp>().notNull(),
    occurrenceCount: integer("occurrence_count").notNull(),
    lastEvaluationId: text("last_evaluation_id").notNull(),
    /** The newest failing evidence as JSON. */
    evidence: text("evidence").notNull(),
    /** JSON of what people have done, each null for nothing, and of the labels of the rule. */
    ack: text("ack"),
    resolution: text("resolution"),
    snooze: text("snooze"),
    labels: text("labels"),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    updatedAt: text("updated_at").$type<Timestamp>().notNull(),
    /** A new id with each change, by which concurrent changes notice each other. */
    changeId: text("change_id").notNull(),
  },
  (table) => [
    uniqueIndex("reconciliation_alerts_once").on(table.ruleKey, table.fingerprint, table.periodId),
    index("reconciliation_alerts_listed").on(table.lastSeenAt),
    index("reconciliation_alerts_of_rule").on(table.ruleKey, table.lastSeenAt),
    index("reconciliation_alerts_of_period").on(table.periodId, table.status, table.lastSeenAt),
    index("reconciliation_alerts_of_status").on(table.status, table.lastSeenAt),
    index("reconciliation_alerts_active")
      .on(table.ruleKey, table.periodId)
      .where(sql`status <> 'RESOLVED'`),
    index("reconciliation_alerts_resolved")
      .on(table.updatedAt)
      .where(sql`status = 'RESOLVED'`),
  ],
);

/** The history of alerts. Rows are added only. */
export const reconciliationAlertEvents = sqliteTable(
  "reconciliation_alert_events",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    id: text("id").notNull().unique(),
    alertId: text("alert_id").notNull(),
    ruleKey: integer("rule_key").notNull(),
    evaluationId: text("evaluation_id"),
    type: text("type").$type<AlertEventType>().notNull(),
    prevStatus: text("prev_status").$type<AlertStatus>(),
    newStatus: text("new_status").$type<AlertStatus>().notNull(),
    payload: text("payload"),
    at: text("at").$type<Timestamp>().notNull(),
    isReopen: integer("is_reopen", { mode: "boolean" }).notNull(),
    notify: integer("notify", { mode: "boolean" }).notNull(),
  },
  (table) => [
    index("reconciliation_alert_events_of_alert").on(table.alertId, table.at),
    index("reconciliation_alert_events_of_rule").on(table.ruleKey),
    index("reconciliation_alert_events_dated").on(table.notify, table.at),
  ],
);
