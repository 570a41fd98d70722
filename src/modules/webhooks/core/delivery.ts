/** States of a delivery. `succeeded`, `failed` and `cancelled` are final, until a failed one is replayed. */
export const DELIVERY_STATUSES = [
  "pending",
  "delivering",
  "succeeded",
  "failed",
  "cancelled",
] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export type AttemptOutcome = "succeeded" | "retryable_failure" | "permanent_failure";
