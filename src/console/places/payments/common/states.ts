import type { Tone } from "#console/parts/base/status.tsx";
import { paymentWords } from "#console/places/payments/words.ts";
import type { components } from "#openapi";

type Schemas = components["schemas"];
export type PaymentStatus = Schemas["Payment"]["status"];
export type InitiationStatus = Schemas["PaymentInitiation"]["status"];
export type ConnectorStatus = Schemas["PaymentConnectorHealthSummary"]["status"];
export type BookingState = Schemas["PaymentBooking"]["state"];

/** A state as `Status` shows it. */
export interface Shown {
  readonly tone: Tone;
  readonly children: string;
}

export const PAYMENT_TONES: Readonly<Record<PaymentStatus, Tone>> = {
  UNKNOWN: "neutral",
  PENDING: "waits",
  SUCCEEDED: "good",
  CANCELLED: "neutral",
  FAILED: "bad",
  EXPIRED: "neutral",
  REFUNDED: "warn",
  REFUNDED_FAILURE: "bad",
  REFUND_REVERSED: "good",
  DISPUTE: "bad",
  DISPUTE_WON: "good",
  DISPUTE_LOST: "bad",
  AMOUNT_ADJUSTEMENT: "neutral",
  AUTHORISATION: "waits",
  CAPTURE: "good",
  CAPTURE_FAILED: "bad",
  OTHER: "neutral",
};

export const INITIATION_TONES: Readonly<Record<InitiationStatus, Tone>> = {
  UNKNOWN: "neutral",
  WAITING_FOR_VALIDATION: "warn",
  SCHEDULED_FOR_PROCESSING: "waits",
  PROCESSING: "waits",
  PROCESSED: "good",
  FAILED: "bad",
  REJECTED: "neutral",
  REVERSE_PROCESSING: "waits",
  REVERSE_FAILED: "bad",
  REVERSED: "warn",
};

const CONNECTOR_TONES: Readonly<Record<ConnectorStatus, Tone>> = {
  healthy: "good",
  degraded: "warn",
  failing: "bad",
  paused: "bad",
  uninstalling: "waits",
};

const BOOKING_TONES: Readonly<Record<BookingState, Tone>> = { RUNNING: "good", PAUSED: "warn" };

export const paymentStatus = (status: PaymentStatus): Shown => ({
  tone: PAYMENT_TONES[status],
  children: paymentWords().paymentStatus[status],
});

export const initiationStatus = (status: InitiationStatus): Shown => ({
  tone: INITIATION_TONES[status],
  children: paymentWords().initiationStatus[status],
});

export const connectorStatus = (status: ConnectorStatus): Shown => ({
  tone: CONNECTOR_TONES[status],
  children: paymentWords().connectorStatus[status],
});

/** The state of a booking. One that runs and has an error waits for somebody. */
export const bookingState = ({ state, error }: Schemas["PaymentBooking"]): Shown =>
  state === "RUNNING" && error !== undefined
    ? { tone: "bad", children: paymentWords().bookings.stuck }
    : { tone: BOOKING_TONES[state], children: paymentWords().bookings.state[state] };
