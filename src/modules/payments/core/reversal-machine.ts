import type { PaymentStatus, ReversalStatus } from "./enums.ts";

/**
 * The states of a reversal, which brings back all or a part of the money that a payment initiation has moved. An initiation
 * has at most one reversal under way.
 *
 *     created ── allowed ──> PROCESSING ── payment: `reversed` ──> PROCESSED
 *         │                      │
 *         │                      │ payment: `failed`, or the provider refuses the reversal
 *         │                      v
 *         └── not allowed ───> FAILED
 *
 * | From | Trigger | To | Status of the initiation |
 * | --- | --- | --- | --- |
 * | nothing | created, but not allowed | FAILED | unchanged |
 * | nothing | created | PROCESSING | REVERSE_PROCESSING |
 * | PROCESSING | the provider makes or reports a payment whose outcome is `reversed` | PROCESSED | REVERSED |
 * | PROCESSING | the provider makes or reports a payment whose outcome is `failed` | FAILED | REVERSE_FAILED |
 * | PROCESSING | the provider makes or reports a payment whose outcome is `pending` | PROCESSING | unchanged |
 * | PROCESSING | the provider refuses the reversal | FAILED | REVERSE_FAILED |
 *
 * `outcomeOfReversal` says the outcome of a payment.
 */
export type ReversalTrigger =
  | { readonly kind: "payment"; readonly payment: PaymentStatus }
  | { readonly kind: "failed" };

export interface ReversalRequest {
  readonly amount: bigint;
}

/** The members of an initiation's state that decide whether a reversal is allowed. */
export interface ReversibleState {
  readonly amount: bigint;
  readonly wasProcessed: boolean;
  readonly reversed: bigint;
  readonly reserved: bigint;
}

/** The reason for which a reversal is not allowed; undefined for one that is allowed. */
export function reversalProblem(
  { amount, wasProcessed, reversed, reserved }: ReversibleState,
  request: ReversalRequest,
): string | undefined {
  if (!wasProcessed) return "payment initiation not processed";
  if (request.amount <= 0n) return "amount must be greater than 0";
  if (reversed + request.amount > amount) return "cannot reverse more than the amount";
  return reserved > 0n ? "another reverse is already in progress" : undefined;
}

/** The status after a trigger; undefined if the status stays. */
export function decideReversal(
  status: ReversalStatus,
  trigger: ReversalTrigger,
): ReversalStatus | undefined {
  if (status !== "PROCESSING") return undefined;
  return trigger.kind === "failed" ? "FAILED" : STATUSES[outcomeOfReversal(trigger.payment)];
}

const STATUSES = { pending: undefined, reversed: "PROCESSED", failed: "FAILED" } as const;

/** The first of several states of a reversal's payment that changes the reversal; undefined if none does. */
export const decidingPayment = (
  status: ReversalStatus,
  payments: readonly PaymentStatus[],
): PaymentStatus | undefined =>
  payments.find((payment) => decideReversal(status, { kind: "payment", payment }) !== undefined);

/**
 * The outcome of a reversal according to its payment. Money counts as gone back unless the payment is pending or has
 * failed.
 */
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
