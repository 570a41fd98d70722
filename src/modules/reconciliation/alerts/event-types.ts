import { z } from "@hono/zod-openapi";
import type { AlertEvent } from "./alert.ts";
import { AlertEventResponse, AlertResponse, toAlertEventView, toAlertView } from "./view.ts";
import type { AlertState } from "#modules/reconciliation/core/alert-states.ts";
import type { PublishedType } from "#modules/reconciliation/core/alert.ts";
import type { EventType } from "#platform/events/event-types.ts";
import type { OutboxEvent } from "#platform/events/outbox-store.ts";

/** The version of the envelope that clients of reconciliation know. */
const EVENT_VERSION = "v1";

const Payload = z.object({
  alert: AlertResponse,
  event: AlertEventResponse,
});

const ALERT = {
  id: "3a8f8c5e-5a0c-4b0e-9a7e-6f1d2c3b4a59",
  ruleID: "0c5b0a1e-6f41-4f7d-9a53-5a9a2f4e1b77",
  fingerprint: "asset:EUR/2",
  periodID: "2026-03",
  status: "OPEN",
  severity: "high",
  firstSeenAt: "2026-03-04T06:00:01Z",
  lastSeenAt: "2026-03-04T06:00:01Z",
  occurrenceCount: 1,
  lastEvaluationID: "5d4d1c3a-9b68-4a55-8f43-0b7a5f2c9d11",
  evidence: {
    asset: "EUR/2",
    ledgerBalanceRaw: "20000",
    ledgerBalance: "20000",
    ledgerSign: 1,
    poolBalance: "-19800",
    drift: "200",
    signedDrift: "200",
    tolerance: 50,
  },
  labels: { team: "treasury" },
  createdAt: "2026-03-04T06:00:01Z",
  updatedAt: "2026-03-04T06:00:01Z",
} as const;

const EVENT = {
  id: "c2b7a6f5-1e0d-4c3b-8a29-7f6e5d4c3b2a",
  alertID: ALERT.id,
  at: "2026-03-04T06:00:01Z",
  isReopen: false,
  notify: true,
} as const;

const BY = { by: "ada@example.com", at: "2026-03-04T08:30:00Z" } as const;

/** A type of events, with an example. Their evidence holds balances of ledgers and pools. */
const typeOf = (
  description: string,
  { alert = {}, event }: { readonly alert?: object; readonly event: object },
): EventType => ({
  description,
  payload: Payload,
  scopes: ["ledger:read", "payments:read"],
  example: { alert: { ...ALERT, ...alert }, event: { ...EVENT, ...event } },
});

const FAIL = {
  type: "fail",
  newStatus: "OPEN",
  evaluationID: ALERT.lastEvaluationID,
  payload: ALERT.evidence,
};
const RESOLUTION = { kind: "fixed_by_booking", ...BY, transactionRefs: ["correction-17"] };
const ACCEPTANCE = {
  kind: "accepted_by_business",
  ...BY,
  note: "known fee",
  evidenceSnapshot: ALERT.evidence,
};
const SNOOZE = { ...BY, until: "2026-03-05T08:00:00Z" };

export const ALERT_EVENT_TYPES_TABLE = {
  OPENED_ALERT: typeOf(
    "A check of a rule has failed for the first time in a period, and an alert was opened.",
    { event: FAIL },
  ),
  UPDATED_ALERT: typeOf(
    "A check with an active alert has failed again, with other numbers or after somebody had acknowledged the alert.",
    { alert: { occurrenceCount: 2 }, event: { ...FAIL, prevStatus: "OPEN" } },
  ),
  REOPENED_ALERT: typeOf("A check has failed again whose alert was resolved in the same period.", {
    alert: { occurrenceCount: 3 },
    event: { ...FAIL, prevStatus: "RESOLVED", isReopen: true },
  }),
  ACKNOWLEDGED_ALERT: typeOf("Somebody works on an alert.", {
    alert: { status: "ACKNOWLEDGED", ack: BY },
    event: { type: "ack", prevStatus: "OPEN", newStatus: "ACKNOWLEDGED", payload: BY },
  }),
  RESOLVED_ALERT: typeOf("A check passes again, or somebody has resolved its alert.", {
    alert: { status: "RESOLVED", resolution: RESOLUTION },
    event: { type: "resolve", prevStatus: "OPEN", newStatus: "RESOLVED", payload: RESOLUTION },
  }),
  ACCEPTED_ALERT: typeOf("Somebody has accepted what an alert says.", {
    alert: { status: "RESOLVED", resolution: ACCEPTANCE },
    event: { type: "accept", prevStatus: "OPEN", newStatus: "RESOLVED", payload: ACCEPTANCE },
  }),
  SNOOZED_ALERT: typeOf("Somebody has silenced an alert for a time.", {
    alert: { snooze: SNOOZE },
    event: { type: "snooze", prevStatus: "OPEN", newStatus: "OPEN", payload: SNOOZE },
  }),
  UNSNOOZED_ALERT: typeOf("Somebody has ended the silence of an alert.", {
    event: { type: "unsnooze", prevStatus: "OPEN", newStatus: "OPEN", payload: { by: BY.by } },
  }),
} as const satisfies Readonly<Record<PublishedType, EventType>>;

/** The published event of a transition, in the order of the events of its alert. Its id is that of the row in the alert's history. */
export const publishedEvent = (
  alert: AlertState & { readonly ruleId: string },
  event: Omit<AlertEvent, "key">,
  type: PublishedType,
): OutboxEvent => ({
  orderKey: `reconciliation:alerts/${alert.id}`,
  event: {
    id: event.id,
    app: "reconciliation",
    version: EVENT_VERSION,
    type,
    date: event.at,
    idempotencyKey: event.id,
    payload: { alert: toAlertView(alert), event: toAlertEventView(event) },
  },
});
