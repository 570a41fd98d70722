import type { PaymentStatus } from "#modules/payments/core/enums.ts";
import type { Timestamp } from "#platform/time.ts";

/** The states of a booking. A paused booking books nothing until it is resumed. */
export const BOOKING_STATES = ["RUNNING", "PAUSED"] as const;
export type BookingState = (typeof BOOKING_STATES)[number];

/** Most bookings of a deployment. Each of them is read whenever payments come. */
export const BOOKINGS_MAX = 100;

/** The rules by which adjustments become transactions. */
export interface BookingRules {
  readonly ledger: string;
  /** The version of the ledger's schema that contains the templates. */
  readonly schemaVersion: string;
  /** The transaction template for statuses that `templates` does not contain. */
  readonly template: string;
  readonly templates: Readonly<Partial<Record<PaymentStatus, string>>>;
}

/**
 * The payments that are booked: those of a connector, or those from and to the accounts that a pool has at the time of
 * booking. Of a dynamic pool, the first thousand accounts count.
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
  /** The key up to which every adjustment is booked, refused, or of other payments. */
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

export interface BookingFailure {
  readonly adjustmentKey: number;
  readonly adjustmentId: string;
  readonly paymentId: string;
  readonly message: string;
  readonly details?: string;
  readonly createdAt: Timestamp;
}
