import type { reconciliationAlertEvents, reconciliationAlerts } from "./tables.ts";
import type {
  AlertState,
  Mark,
  AlertResolution,
  Snooze,
} from "#modules/reconciliation/core/alert-states.ts";
import type { AlertEventType, AlertStatus } from "#modules/reconciliation/core/alert.ts";
import { canonicalJson } from "#modules/reconciliation/core/canonical-json.ts";
import type { Evidence } from "#modules/reconciliation/core/templates/template.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";

export interface Alert extends AlertState {
  readonly key: number;
  readonly ruleKey: number;
  readonly ruleId: string;
  readonly changeId: string;
}

type AlertRow = typeof reconciliationAlerts.$inferSelect;

/** An alert from its row. The types of the row's JSON are known, because only `toAlertColumns` writes it. */
export const toAlert = (row: AlertRow): Alert => ({
  key: row.key,
  id: row.id,
  ruleKey: row.ruleKey,
  ruleId: row.ruleId,
  fingerprint: row.fingerprint,
  periodId: row.periodId,
  status: row.status,
  severity: row.severity,
  firstSeenAt: row.firstSeenAt,
  lastSeenAt: row.lastSeenAt,
  occurrenceCount: row.occurrenceCount,
  lastEvaluationId: row.lastEvaluationId,
  evidence: parseJson(row.evidence) as Evidence,
  ...(row.ack === null ? {} : { ack: parseJson(row.ack) as Mark }),
  ...(row.resolution === null ? {} : { resolution: parseJson(row.resolution) as AlertResolution }),
  ...(row.snooze === null ? {} : { snooze: parseJson(row.snooze) as Snooze }),
  labels: row.labels === null ? {} : (parseJson(row.labels) as Record<string, string>),
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
  changeId: row.changeId,
});

const optionalJson = (value: unknown): string | null =>
  value === undefined ? null : stringifyJson(value);

/** The columns of an alert that transitions write. */
export const toAlertColumns = (
  alert: AlertState,
): Omit<AlertRow, "key" | "ruleKey" | "ruleId" | "changeId"> => ({
  id: alert.id,
  fingerprint: alert.fingerprint,
  periodId: alert.periodId,
  status: alert.status,
  severity: alert.severity,
  firstSeenAt: alert.firstSeenAt,
  lastSeenAt: alert.lastSeenAt,
  occurrenceCount: alert.occurrenceCount,
  lastEvaluationId: alert.lastEvaluationId,
  evidence: canonicalJson(alert.evidence),
  ack: optionalJson(alert.ack),
  resolution: optionalJson(alert.resolution),
  snooze: optionalJson(alert.snooze),
  labels: Object.keys(alert.labels).length === 0 ? null : stringifyJson(alert.labels),
  createdAt: alert.createdAt,
  updatedAt: alert.updatedAt,
});

/** A row of the history of an alert. */
export interface AlertEvent {
  readonly key: number;
  readonly id: string;
  readonly alertId: string;
  readonly evaluationId?: string;
  readonly type: AlertEventType;
  readonly prevStatus?: AlertStatus;
  readonly newStatus: AlertStatus;
  readonly payload?: unknown;
  readonly at: Timestamp;
  readonly isReopen: boolean;
  /** Whether the event was published. */
  readonly notify: boolean;
}

export const toAlertEvent = (row: typeof reconciliationAlertEvents.$inferSelect): AlertEvent => ({
  key: row.key,
  id: row.id,
  alertId: row.alertId,
  ...(row.evaluationId === null ? {} : { evaluationId: row.evaluationId }),
  type: row.type,
  ...(row.prevStatus === null ? {} : { prevStatus: row.prevStatus }),
  newStatus: row.newStatus,
  ...(row.payload === null ? {} : { payload: parseJson(row.payload) }),
  at: row.at,
  isReopen: row.isReopen,
  notify: row.notify,
});
