import type { PaymentStatus } from "#modules/payments/core/enums.ts";
import type { Timestamp } from "#platform/time.ts";

/** A paused booking books nothing until it is resumed. */
export const BOOKING_STATES = ["RUNNING", "PAUSED"] as const;
export type BookingState = (typeof BOOKING_STATES)[number];

/** Most bookings of a deployment: each is looked at when payments come. */
export const BOOKINGS_MAX = 100;

/** How adjustments become transactions. */
export interface BookingRules {
  readonly ledger: string;
  /** The schema of the ledger that has the templates. */
  readonly schemaVersion: string;
  /** The transaction template of adjustments whose status has none of its own. */
  readonly template: string;
  readonly templates: Readonly<Partial<Record<PaymentStatus, string>>>;
}

/**
 * Whose payments are booked: those of a connector, or those from and to the accounts that a pool has when they are booked, of a
 * dynamic one the first thousand.
 */
export type BookingScope = { readonly connectorKey: number } | { readonly poolId: string };

/** A mirror of payments in a ledger. */
export interface Booking {
  readonly key: number;
  readonly id: string;
  readonly scope: BookingScope;
  readonly rules: BookingRules;
  readonly state: BookingState;
  readonly run: number;
  /** The key of the last adjustment that was looked at. */
  readonly position: number;
  readonly booked: number;
  readonly failed: number;
  readonly error?: string;
  readonly attempts: number;
  readonly waitUntil?: Timestamp;
  readonly createdAt: Timestamp;
  readonly updatedAt: Timestamp;
  readonly lastBookedAt?: Timestamp;
}

/** An adjustment that the ledger has refused. */
export interface BookingFailure {
  readonly adjustmentKey: number;
  readonly adjustmentId: string;
  readonly paymentId: string;
  readonly message: string;
  readonly details?: string;
  readonly createdAt: Timestamp;
}
