import type { AlertEventType, AlertStatus, PublishedType } from "./alert.ts";
import { canonicalJson } from "./canonical-json.ts";
import type { Severity } from "./rule.ts";
import type { Evidence } from "./templates/template.ts";
import { AppError } from "#platform/errors.ts";
import type { Timestamp } from "#platform/time.ts";

/** What a person, or the system, has done with an alert. Names of people are as they were given. */
export interface Mark {
  readonly by: string;
  readonly at: Timestamp;
  readonly note?: string;
}
export interface AlertResolution extends Mark {
  readonly kind: "auto" | "fixed_by_booking" | "accepted_by_business";
  readonly transactionRefs?: readonly string[];
  /** The evidence at the time of an acceptance. */
  readonly evidenceSnapshot?: Evidence;
}
export interface Snooze extends Mark {
  readonly until: Timestamp;
}

/** An alert without what identifies its row. */
export interface AlertState {
  readonly id: string;
  readonly fingerprint: string;
  readonly periodId: string;
  readonly status: AlertStatus;
  readonly severity: Severity;
  readonly firstSeenAt: Timestamp;
  readonly lastSeenAt: Timestamp;
  readonly occurrenceCount: number;
  readonly lastEvaluationId: string;
  readonly evidence: Evidence;
  readonly ack?: Mark;
  readonly resolution?: AlertResolution;
  readonly snooze?: Snooze;
  readonly labels: Readonly<Record<string, string>>;
  readonly createdAt: Timestamp;
  readonly updatedAt: Timestamp;
}

/** The event of a transition. */
export interface AlertEventFacts {
  readonly type: AlertEventType;
  readonly prevStatus?: AlertStatus;
  readonly newStatus: AlertStatus;
  readonly payload: unknown;
  readonly at: Timestamp;
  readonly evaluationId?: string;
  readonly isReopen: boolean;
  /** The type under which the event is published; undefined for one that is kept in the history only. */
  readonly published?: PublishedType;
}

/** An alert after a transition, and the event of the transition. */
export interface AlertTransition<A extends AlertState = AlertState> {
  readonly alert: A;
  readonly event: AlertEventFacts;
  /** Whether the alert fails as it did before, so that the failure is counted and adds nothing to the history. */
  readonly isRepetition?: boolean;
}

/** A failing outcome of an evaluation. */
export interface CheckFailure {
  readonly evidence: Evidence;
  readonly evaluationId: string;
  /** The end of the evaluation. */
  readonly at: Timestamp;
}

type Fresh = Pick<AlertState, "id" | "fingerprint" | "periodId" | "severity" | "labels">;

/**
 * The states of an alert, and what leads from one to another:
 *
 *                fail                  ack
 *     (none) ──────────► OPEN ───────────────────► ACKNOWLEDGED
 *                       ▲ │ ▲ ◄────── fail ────────┘    │
 *                  fail └─┘ │                           │
 *                           │ fail      pass, resolve, accept
 *                           │                           │
 *                        RESOLVED ◄─────────────────────┘  (from OPEN, too)
 *
 * The first failure of a fingerprint in a period opens an alert.
 */
export const openAlert = (
  fresh: Fresh,
  { evidence, evaluationId, at }: CheckFailure,
): AlertTransition => ({
  alert: {
    ...fresh,
    status: "OPEN",
    firstSeenAt: at,
    lastSeenAt: at,
    occurrenceCount: 1,
    lastEvaluationId: evaluationId,
    evidence,
    createdAt: at,
    updatedAt: at,
  },
  event: {
    type: "fail",
    newStatus: "OPEN",
    payload: evidence,
    at,
    evaluationId,
    isReopen: false,
    published: "OPENED_ALERT",
  },
});

/**
 * An alert fails again. Its event is published if something has changed: the status or the evidence. While the alert is snoozed, no failure
 * is published; the first one after the snooze ends it, and is. A failure that changes nothing is a repetition.
 */
export function failAlert<A extends AlertState>(
  alert: A,
  { evidence, evaluationId, at: endedAt }: CheckFailure,
): AlertTransition<A> {
  const at = notBefore(alert, endedAt);
  const { ack: _ack, resolution: _resolution, snooze, ...kept } = alert;
  // The end of the evaluation decides, and not the last change of the alert, which a clock that was ahead may have dated.
  const isSnoozed = snooze !== undefined && snooze.until > endedAt;
  const hasSnoozeEnded = snooze !== undefined && !isSnoozed;
  const isChanged = alert.status !== "OPEN" || isOtherEvidence(alert.evidence, evidence);
  const isReopen = alert.status === "RESOLVED";
  const isPublished = !isSnoozed && (isChanged || hasSnoozeEnded);
  return {
    alert: {
      ...(kept as unknown as A), // only optional members are left out, and put back where they stay
      ...(isSnoozed ? { snooze } : {}),
      status: "OPEN",
      lastSeenAt: at,
      occurrenceCount: alert.occurrenceCount + 1,
      lastEvaluationId: evaluationId,
      evidence,
      updatedAt: at,
    },
    event: {
      type: "fail",
      prevStatus: alert.status,
      newStatus: "OPEN",
      payload: evidence,
      at,
      evaluationId,
      isReopen,
      ...(isPublished ? { published: isReopen ? "REOPENED_ALERT" : "UPDATED_ALERT" } : {}),
    },
    isRepetition: !isChanged && !hasSnoozeEnded,
  };
}

/** The end of an evaluation as the time of a transition, which is not before that of the last one: somebody may have acted meanwhile. */
const notBefore = ({ updatedAt }: AlertState, at: Timestamp): Timestamp =>
  at < updatedAt ? updatedAt : at;

/** Whether evidence differs. The id of the evaluation, which evidence of errors has, differs always and does not count. */
function isOtherEvidence(one: Evidence, other: Evidence): boolean {
  const { evaluationId: _one, ...first } = one;
  const { evaluationId: _other, ...second } = other;
  return canonicalJson(first) !== canonicalJson(second);
}

/** An active alert fails no more. */
export const passAlert = <A extends AlertState>(
  alert: A,
  { evaluationId, at: endedAt }: Pick<CheckFailure, "evaluationId" | "at">,
): AlertTransition<A> =>
  resolved(
    alert,
    { kind: "auto", by: "system", at: notBefore(alert, endedAt) },
    { type: "pass", published: "RESOLVED_ALERT", evaluationId },
  );

/** Somebody works on an alert; undefined where somebody does already. Throws `NOT_FOUND` for a resolved alert. */
export function ackAlert<A extends AlertState>(
  alert: A,
  ack: Mark,
): AlertTransition<A> | undefined {
  assertActive(alert);
  if (alert.status === "ACKNOWLEDGED") return undefined;
  const { at } = ack;
  return {
    alert: { ...alert, status: "ACKNOWLEDGED", ack, updatedAt: at },
    event: {
      type: "ack",
      prevStatus: alert.status,
      newStatus: "ACKNOWLEDGED",
      payload: ack,
      at,
      isReopen: false,
      published: "ACKNOWLEDGED_ALERT",
    },
  };
}

/** Somebody says that an alert is done with by a booking. Throws `NOT_FOUND` for a resolved alert. */
export function resolveAlert<A extends AlertState>(
  alert: A,
  mark: Mark & Pick<AlertResolution, "transactionRefs">,
): AlertTransition<A> {
  assertActive(alert);
  const resolution: AlertResolution = { ...mark, kind: "fixed_by_booking" };
  return resolved(alert, resolution, { type: "resolve", published: "RESOLVED_ALERT" });
}

/** Somebody accepts what an alert says, whose evidence is kept with the acceptance. Throws `NOT_FOUND` for a resolved alert. */
export function acceptAlert<A extends AlertState>(alert: A, mark: Mark): AlertTransition<A> {
  assertActive(alert);
  const resolution: AlertResolution = {
    ...mark,
    kind: "accepted_by_business",
    evidenceSnapshot: alert.evidence,
  };
  return resolved(alert, resolution, { type: "accept", published: "ACCEPTED_ALERT" });
}

/** Somebody silences an alert for a time. Throws `NOT_FOUND` for a resolved alert. */
export function snoozeAlert<A extends AlertState>(alert: A, snooze: Snooze): AlertTransition<A> {
  assertActive(alert);
  const { status } = alert;
  return {
    alert: { ...alert, snooze, updatedAt: snooze.at },
    event: {
      type: "snooze",
      prevStatus: status,
      newStatus: status,
      payload: snooze,
      at: snooze.at,
      isReopen: false,
      published: "SNOOZED_ALERT",
    },
  };
}

/** Somebody ends the silence of an alert; undefined for an alert that is not silenced. */
export function unsnoozeAlert<A extends AlertState>(
  alert: A,
  { by, at }: Mark,
): AlertTransition<A> | undefined {
  const { snooze, ...kept } = alert;
  if (snooze === undefined) return undefined;
  const { status } = alert;
  return {
    alert: { ...(kept as unknown as A), updatedAt: at }, // only an optional member is left out
    event: {
      type: "unsnooze",
      prevStatus: status,
      newStatus: status,
      payload: { by },
      at,
      isReopen: false,
      published: "UNSNOOZED_ALERT",
    },
  };
}

function resolved<A extends AlertState>(
  alert: A,
  resolution: AlertResolution,
  event: Pick<AlertEventFacts, "type" | "published" | "evaluationId">,
): AlertTransition<A> {
  const { snooze: _snooze, ...kept } = alert;
  return {
    alert: {
      ...(kept as unknown as A), // only an optional member is left out
      status: "RESOLVED",
      resolution,
      updatedAt: resolution.at,
    },
    event: {
      ...event,
      prevStatus: alert.status,
      newStatus: "RESOLVED",
      payload: resolution,
      at: resolution.at,
      isReopen: false,
    },
  };
}

function assertActive({ id, status }: AlertState): void {
  if (status !== "RESOLVED") return;
  throw new AppError("NOT_FOUND", `there is no active alert ${id}: it is resolved`);
}
