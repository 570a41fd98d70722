import type { Timestamp } from "#platform/time.ts";

/** States of a delivery. `succeeded`, `failed` and `cancelled` are final. */
export const DELIVERY_STATUSES = [
  "pending",
  "delivering",
  "succeeded",
  "failed",
  "cancelled",
] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export type AttemptOutcome = "succeeded" | "retryable_failure" | "permanent_failure";

/** One event on its way to one endpoint, before it is stored. */
export interface NewDelivery {
  readonly id: string;
  readonly configId: string;
  readonly eventId: string;
  /** Normalised name, `ledger.committed_transactions`. */
  readonly eventType: string;
  readonly idempotencyKey: string;
  /** The body that every attempt sends, byte for byte. */
  readonly payload: string;
}

/** A delivery that this worker holds until it stores a result or the claim is released as stale. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly configId: string;
  readonly idempotencyKey: string;
  /** Absent if the body is large: it is read shortly before it is sent. */
  readonly payload: string | undefined;
  /** Attempts that were made in this replay generation. */
  readonly attemptCount: number;
  readonly cycleStartedAt: Timestamp;
  readonly claimedAt: Timestamp;
}

/** The result of one call of an endpoint. */
export interface Attempt {
  readonly endpoint: string;
  readonly outcome: AttemptOutcome;
  /** 0 when no answer came. */
  readonly statusCode: number;
  readonly error?: string;
  readonly responseExcerpt?: string;
  readonly durationMs: number;
  readonly createdAt: Timestamp;
}

/** How a claim ends. The attempt is absent if no call was made. */
export type Settlement = {
  readonly delivery: ClaimedDelivery;
  readonly attempt?: Attempt;
  readonly error?: string;
} & (
  | { readonly status: "succeeded" | "failed" | "cancelled" }
  | { readonly status: "pending"; readonly nextAttemptAt: Timestamp }
);
