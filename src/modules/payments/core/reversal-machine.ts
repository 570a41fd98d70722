import type { PaymentStatus, ReversalStatus } from "./enums.ts";

/**
 * The states of a reversal, which brings back what a payment initiation has moved, or a part of it. There is at most one under
 * way for each initiation.
 *
 * | From | Trigger | To | The initiation |
 * | --- | --- | --- | --- |
 * | nothing | created, but it may not be made | FAILED | keeps its state |
 * | nothing | created | PROCESSING | REVERSE_PROCESSING |
 * | PROCESSING | the provider has made a payment of it, or reports a later state, which is `reversed` | PROCESSED | REVERSED |
 * | PROCESSING | the same, which is `failed` | FAILED | REVERSE_FAILED |
 * | PROCESSING | the same, which is `pending` | PROCESSING | keeps its state |
 * | PROCESSING | the provider refuses it | FAILED | REVERSE_FAILED |
 */
export type ReversalTrigger =
  | { readonly kind: "payment"; readonly payment: PaymentStatus }
  | { readonly kind: "failed" };

/** What is asked for. */
export interface ReversalRequest {
  readonly amount: bigint;
}

/** What a reversal has to know of its initiation. */
export interface ReversibleState {
  readonly amount: bigint;
  readonly wasProcessed: boolean;
  readonly reversed: bigint;
  readonly reserved: bigint;
}

/** Why a reversal may not be made, or undefined. */
export function reversalProblem(
  { amount, wasProcessed, reversed, reserved }: ReversibleState,
  request: ReversalRequest,
): string | undefined {
  if (!wasProcessed) return "payment initiation not processed";
  if (request.amount <= 0n) return "amount must be greater than 0";
  if (reversed + request.amount > amount) return "cannot reverse more than the amount";
  return reserved > 0n ? "another reverse is already in progress" : undefined;
}

/** The status that a trigger gives, or undefined where nothing changes. */
export function decideReversal(
  status: ReversalStatus,
  trigger: ReversalTrigger,
): ReversalStatus | undefined {
  if (status !== "PROCESSING") return undefined;
  return trigger.kind === "failed" ? "FAILED" : STATUSES[outcomeOfReversal(trigger.payment)];
}

const STATUSES = { pending: undefined, reversed: "PROCESSED", failed: "FAILED" } as const;

/** What the payment of a reversal says of it. What is neither pending nor failed counts as money that went back. */
export function outcomeOfReversal(payment: PaymentStatus): keyof typeof STATUSES {
  switch (payment) {
    case "PENDING":
    case "AUTHORISATION":
      return "pending";
    case "CANCELLED":
    case "CAPTURE_FAILED":
    case "EXPIRED":
    case "FAILED":
    case "REFUNDED_FAILURE":
      return "failed";
    case "AMOUNT_ADJUSTEMENT":
    case "CAPTURE":
    case "DISPUTE":
    case "DISPUTE_LOST":
    case "DISPUTE_WON":
    case "OTHER":
    case "REFUNDED":
    case "REFUND_REVERSED":
    case "SUCCEEDED":
    case "UNKNOWN":
      return "reversed";
  }
}
