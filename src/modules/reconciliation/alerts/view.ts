import { z } from "@hono/zod-openapi";
import type { Alert, AlertEvent } from "./alert.ts";
import type {
  AlertState,
  Mark,
  AlertResolution,
} from "#modules/reconciliation/core/alert-states.ts";
import { ALERT_EVENT_TYPES, ALERT_STATUSES } from "#modules/reconciliation/core/alert.ts";
import { SEVERITIES } from "#modules/reconciliation/core/rule.ts";
import { TimestampOutput } from "#platform/http/schemas.ts";
import { formatTimestamp, type Timestamp } from "#platform/time.ts";

/** Alerts and their events as answers and published events have them. */

const MarkResponse = z.object({
  by: z.string().openapi({ description: "The name that was given; the audit has the caller." }),
  at: TimestampOutput,
  note: z.string().optional(),
});

const EvidenceResponse = z.record(z.string(), z.unknown()).openapi({
  description: "The numbers of the newest failure. Balances are texts of decimal digits.",
});

export const AlertResponse = z
  .object({
    id: z.string().openapi({ format: "uuid" }),
    ruleID: z.string().openapi({ format: "uuid" }),
    fingerprint: z.string().openapi({ example: "asset:EUR/2" }),
    periodID: z.string().openapi({ example: "2026-03" }),
    status: z.enum(ALERT_STATUSES),
    severity: z.enum(SEVERITIES),
    firstSeenAt: TimestampOutput,
    lastSeenAt: TimestampOutput,
    occurrenceCount: z.int(),
    lastEvaluationID: z.string().openapi({
      description: "The newest evaluation that failed. It may be older than the retention.",
    }),
    evidence: EvidenceResponse.optional(),
    ack: MarkResponse.optional(),
    resolution: MarkResponse.extend({
      kind: z.enum(["auto", "fixed_by_booking", "accepted_by_business"]),
      transactionRefs: z.array(z.string()).optional(),
      evidenceSnapshot: EvidenceResponse.optional(),
    }).optional(),
    snooze: MarkResponse.extend({ until: TimestampOutput }).optional(),
    labels: z.record(z.string(), z.string()).optional(),
    createdAt: TimestampOutput,
    updatedAt: TimestampOutput,
  })
  .openapi("Alert");

export const AlertEventResponse = z
  .object({
    id: z.string().openapi({ format: "uuid" }),
    alertID: z.string().openapi({ format: "uuid" }),
    evaluationID: z.string().optional(),
    type: z.enum(ALERT_EVENT_TYPES),
    prevStatus: z.enum(ALERT_STATUSES).optional(),
    newStatus: z.enum(ALERT_STATUSES),
    payload: z.record(z.string(), z.unknown()).optional(),
    at: TimestampOutput,
    isReopen: z.boolean(),
    notify: z.boolean().openapi({ description: "Whether the event was published." }),
  })
  .openapi("AlertEvent");

/** An object with its dates in the wire form. */
const withDates = <T extends Readonly<Record<string, unknown>>>(value: T): T =>
  Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      (name === "at" || name === "until") && typeof member === "string"
        ? formatTimestamp(member as Timestamp) // members of these names are timestamps
        : member,
    ]),
  ) as T; // members keep their names and types

const toMarkView = ({ by, at, note }: Mark) => ({
  by,
  at: formatTimestamp(at),
  ...(note === undefined ? {} : { note }),
});

const toResolutionView = ({
  kind,
  transactionRefs,
  evidenceSnapshot,
  ...mark
}: AlertResolution) => ({
  kind,
  ...toMarkView(mark),
  ...(transactionRefs === undefined ? {} : { transactionRefs: [...transactionRefs] }),
  ...(evidenceSnapshot === undefined ? {} : { evidenceSnapshot: { ...evidenceSnapshot } }),
});

export const toAlertView = (
  alert: AlertState & Pick<Alert, "ruleId">,
): z.output<typeof AlertResponse> => ({
  id: alert.id,
  ruleID: alert.ruleId,
  fingerprint: alert.fingerprint,
  periodID: alert.periodId,
  status: alert.status,
  severity: alert.severity,
  firstSeenAt: formatTimestamp(alert.firstSeenAt),
  lastSeenAt: formatTimestamp(alert.lastSeenAt),
  occurrenceCount: alert.occurrenceCount,
  lastEvaluationID: alert.lastEvaluationId,
  evidence: { ...alert.evidence },
  ...(alert.ack === undefined ? {} : { ack: toMarkView(alert.ack) }),
  ...(alert.resolution === undefined ? {} : { resolution: toResolutionView(alert.resolution) }),
  ...(alert.snooze === undefined
    ? {}
    : {
        snooze: { ...toMarkView(alert.snooze), until: formatTimestamp(alert.snooze.until) },
      }),
  ...(Object.keys(alert.labels).length === 0 ? {} : { labels: { ...alert.labels } }),
  createdAt: formatTimestamp(alert.createdAt),
  updatedAt: formatTimestamp(alert.updatedAt),
});

export const toAlertEventView = (
  event: Omit<AlertEvent, "key">,
): z.output<typeof AlertEventResponse> => ({
  id: event.id,
  alertID: event.alertId,
  ...(event.evaluationId === undefined ? {} : { evaluationID: event.evaluationId }),
  type: event.type,
  ...(event.prevStatus === undefined ? {} : { prevStatus: event.prevStatus }),
  newStatus: event.newStatus,
  ...(event.payload === undefined
    ? {}
    : { payload: withDates(event.payload as Record<string, unknown>) }), // payloads are evidence, marks or resolutions
  at: formatTimestamp(event.at),
  isReopen: event.isReopen,
  notify: event.notify,
});
