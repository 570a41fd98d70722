import type { AttemptOutcome, DeliveryStatus } from "./delivery.ts";

/** Where events come from. */
export type EventOrigin =
  | { readonly source: "ledger"; readonly ledger: string; readonly uuid: string }
  | { readonly source: "outbox" };

/** An event that an endpoint wants. */
export interface OwedEvent {
  /** The id of its log entry, or, for events that are none, its own id. */
  readonly position: number | string;
  /** Normalised name: `ledger.committed_transactions`. */
  readonly eventType: string;
  /** Empty for none. */
  readonly idempotencyKey: string;
  /** What every attempt sends. Absent where the lane reads it when its turn comes. */
  readonly body?: string | undefined;
}

/** Entries of a log that follow one another, with events of one type and without keys. The lane reads their bodies. */
export interface OwedRun {
  readonly first: number;
  readonly last: number;
  readonly eventType: string;
}

/** Events of one origin for one endpoint. */
export interface EventBatch {
  readonly origin: EventOrigin;
  /** The entries of the log that were looked through. Absent for other events. */
  readonly range?: { readonly first: number; readonly last: number } | undefined;
  readonly events: readonly OwedEvent[];
  /** Further events, which take little room however many there are. */
  readonly runs?: readonly OwedRun[] | undefined;
}

/** What a lane knows of its config. How to sign is read from D1 where it is needed. */
export interface LaneSpec {
  readonly configId: string;
  /** Counts the changes of the config. */
  readonly revision: number;
  readonly endpoint: string;
  readonly active: boolean;
  /** The last revision that deactivated it; 0 for none. What was pending then has ended, even if it is active again. */
  readonly endedRevision: number;
  /** Whether that one did because the endpoint had failed for too long: what was pending has failed, and can be replayed. */
  readonly hasFailed: boolean;
  readonly isDeleted: boolean;
}

/** A delivery as clients see it. Times are milliseconds since the epoch. */
export interface DeliveryRecord {
  readonly id: string;
  /** Its number in the lane. */
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

/** A delivery, and what its attempts send. */
export interface DeliveryDetail {
  readonly delivery: DeliveryRecord;
  /** Absent where the event is gone, because its ledger is. */
  readonly body: string | undefined;
}

/** What a lane needs of the body of an event. */
export interface LaneNeed {
  /** The place of the event among those that were asked for. */
  readonly place: number;
  /** When its delivery has been kept for its retention, in milliseconds since the epoch; absent for one that is pending. */
  readonly untilMs?: number;
}

export interface AttemptRecord {
  readonly number: number;
  readonly generation: number;
  readonly endpoint: string;
  readonly outcome: AttemptOutcome;
  /** 0 when no answer came. */
  readonly statusCode: number;
  readonly error?: string | undefined;
  readonly tookMs: number;
  readonly responseExcerpt?: string | undefined;
  readonly atMs: number;
}

/** A position in the attempts of a delivery, which are ordered by both. */
export interface AttemptPosition {
  readonly generation: number;
  readonly number: number;
}

/** A position in lists of deliveries, which are ordered by date and id. */
export interface DeliveryPosition {
  readonly createdMs: number;
  readonly id: string;
}

/** Which deliveries of a lane are listed. */
export interface DeliveryQuery {
  /** All of them if absent. */
  readonly statuses?: readonly DeliveryStatus[] | undefined;
  /** Both inclusive. */
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  /** Only what comes behind it in the order of the list. */
  readonly after?: DeliveryPosition | undefined;
  readonly order: "asc" | "desc";
  readonly limit: number;
}
