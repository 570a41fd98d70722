import type { PaymentStatus, PaymentType } from "./enums.ts";

/** The statuses of payments that clients of earlier versions know. Such clients refuse an answer with any other status. */
export const LEGACY_STATUSES = [
  "PENDING",
  "SUCCEEDED",
  "CANCELLED",
  "FAILED",
  "EXPIRED",
  "REFUNDED",
  "REFUNDED_FAILURE",
  "DISPUTE",
  "DISPUTE_WON",
  "DISPUTE_LOST",
  "OTHER",
] as const;
export type LegacyStatus = (typeof LEGACY_STATUSES)[number];

/** The legacy status that comes nearest to each newer status. */
const NEAREST: Readonly<Record<Exclude<PaymentStatus, LegacyStatus>, LegacyStatus>> = {
  UNKNOWN: "OTHER",
  AUTHORISATION: "PENDING",
  CAPTURE: "SUCCEEDED",
  CAPTURE_FAILED: "FAILED",
  REFUND_REVERSED: "SUCCEEDED",
  AMOUNT_ADJUSTEMENT: "SUCCEEDED",
};

export const toLegacyStatus = (status: PaymentStatus): LegacyStatus =>
  isLegacy(status) ? status : NEAREST[status];

const isLegacy = (status: PaymentStatus): status is LegacyStatus => !Object.hasOwn(NEAREST, status);

/** The types of payments that clients of earlier versions know. */
export const LEGACY_TYPES = ["PAY-IN", "PAYOUT", "TRANSFER", "OTHER"] as const;

export const toLegacyType = (type: PaymentType): (typeof LEGACY_TYPES)[number] =>
  type === "UNKNOWN" ? "OTHER" : type;
