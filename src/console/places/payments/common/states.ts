import type { Tone } from "#console/parts/base/status.tsx";
import { paymentWords } from "#console/places/payments/words.ts";
import type { components } from "#openapi";

type Schemas = components["schemas"];
export type PaymentStatus = Schemas["Payment"]["status"];
export type InitiationStatus = Schemas["PaymentInitiation"]["status"];
export type ConnectorStatus = Schemas["PaymentConnectorHealthSummary"]["status"];

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

/** The state of a booking: one with an error waits, and one that was refused something has gaps. */
export function bookingState({ state, error, failed }: Schemas["PaymentBooking"]): Shown {
  const words = paymentWords().bookings;
  if (state === "PAUSED") return { tone: "warn", children: words.state.PAUSED };
  if (error !== undefined) return { tone: "bad", children: words.stuck };
  return failed > 0
    ? { tone: "warn", children: words.gaps }
    : { tone: "good", children: words.state.RUNNING };
}
