/**
 * The states of a delivery. `succeeded`, `failed` and `cancelled` are final, but a failed delivery can be replayed:
 *
 *     pending ──► delivering ──► succeeded
 *      │ ▲  ▲          │
 *      │ │  └─ retry ──┼───────► failed ──┐
 *      │ └─ replay ────┼──────────────────┘
 *      └───────────────┴───────► cancelled, or failed: the config was deactivated or deleted
 */
export const DELIVERY_STATUSES = [
  "pending",
  "delivering",
  "succeeded",
  "failed",
  "cancelled",
] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export type AttemptOutcome = "succeeded" | "retryable_failure" | "permanent_failure";
