import type { AttemptOutcome, DeliveryStatus } from "./delivery.ts";

/** The kind of lanes among objects whose work waits, by the ids of their configs. */
export const LANE_BACKLOG = "webhook-deliveries";

export type EventOrigin =
  | { readonly source: "ledger"; readonly ledger: string; readonly uuid: string }
  | { readonly source: "outbox" };

/** An event that a lane has to deliver. */
export interface OwedEvent {
  /** The id of the log entry; for an event of the outbox, the event's own id. */
  readonly position: number | string;
  /** Normalised name: `ledger.committed_transactions`. */
  readonly eventType: string;
  /** Empty if the event has no key. */
  readonly idempotencyKey: string;
  /** The body that every attempt sends; absent if the lane has to read it. */
  readonly body?: string | undefined;
  /** What has caused the event (`platform/tracing/cause.ts`); absent where it is not known. */
  readonly cause?: string | undefined;
}

/** Consecutive entries of a log whose events have one type, one cause and no keys. The lane reads their bodies. */
export interface OwedRun {
  readonly first: number;
  readonly last: number;
  readonly eventType: string;
  readonly cause?: string | undefined;
}

/** Events of one origin for one lane. */
export interface EventBatch {
  readonly origin: EventOrigin;
  /** The entries of the log that the batch covers, wanted or not; absent for events of the outbox. */
  readonly range?: { readonly first: number; readonly last: number } | undefined;
  readonly events: readonly OwedEvent[];
  /** Further events, which take little space however many there are. */
  readonly runs?: readonly OwedRun[] | undefined;
}

/** The part of a config that its lane stores. Secrets stay in D1, where the lane reads them when it needs them. */
export interface LaneSpec {
  readonly configId: string;
  /** Number that grows with each change of the config. */
  readonly revision: number;
  readonly endpoint: string;
  readonly active: boolean;
  /**
   * The last revision that deactivated the config; 0 for none. Deliveries that were pending at that revision have ended, even if
   * the config is active again.
   */
  readonly endedRevision: number;
  /** Whether the config was deactivated because its endpoint had failed for too long. Pending deliveries then end as failed, and can be replayed. */
  readonly hasFailed: boolean;
  readonly isDeleted: boolean;
}

/** How pending deliveries of an inactive config end: their status, and the error that says why they have failed. */
export const endingOf = ({
  hasFailed,
}: LaneSpec): { readonly status: "failed" | "cancelled"; readonly error: string | null } =>
  hasFailed
    ? {
        status: "failed",
        error: "the webhook config was deactivated because its endpoint kept failing",
      }
    : { status: "cancelled", error: null };

/** A delivery as clients see it. Times are milliseconds since the epoch. */
export interface DeliveryRecord {
  readonly id: string;
  /** The number of the delivery in its lane. */
  readonly seq: number;
  readonly configId: string;
  readonly eventId: string;
  readonly idempotencyKey: string;
  readonly eventType: string;
  readonly status: DeliveryStatus;
  readonly attemptCount: number;
  readonly replayGeneration: number;
  readonly cycleStartedMs?: number | undefined;
  readonly nextAttemptMs?: number | undefined;
  readonly claimedMs?: number | undefined;
  readonly lastAttemptMs?: number | undefined;
  readonly lastStatusCode?: number | undefined;
  readonly lastError?: string | undefined;
  readonly createdMs: number;
  readonly updatedMs: number;
}

/** A delivery and the body that its attempts send. */
export interface DeliveryDetail {
  readonly delivery: DeliveryRecord;
  /** Absent if the event is gone, because its ledger was deleted. */
  readonly body: string | undefined;
}

/** How long a lane needs the body of an event. */
export interface LaneNeed {
  /** The index of the event in the question. */
  readonly place: number;
  /** When the retention of the delivery ends, in milliseconds since the epoch; absent while the delivery is pending. */
  readonly untilMs?: number;
}

export interface AttemptRecord {
  readonly number: number;
  readonly generation: number;
  readonly endpoint: string;
  readonly outcome: AttemptOutcome;
  /** The HTTP status; 0 if no answer came. */
  readonly statusCode: number;
  readonly error?: string | undefined;
  readonly tookMs: number;
  readonly responseExcerpt?: string | undefined;
  readonly atMs: number;
}

/** A position in the attempts of a delivery, which are ordered by generation and number. */
export interface AttemptPosition {
  readonly generation: number;
  readonly number: number;
}

/** A position in lists of deliveries, which are ordered by creation date and id. */
export interface DeliveryPosition {
  readonly createdMs: number;
  readonly id: string;
}

/** A list of deliveries of a lane. */
export interface DeliveryQuery {
  /** Only deliveries of these statuses; absent for all. */
  readonly statuses?: readonly DeliveryStatus[] | undefined;
  /** First and last creation date, both inclusive, in milliseconds since the epoch. */
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  /** Only deliveries behind this position in the order of the list. */
  readonly after?: DeliveryPosition | undefined;
  readonly order: "asc" | "desc";
  readonly limit: number;
}
