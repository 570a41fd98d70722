import type { InitiationStatus, PaymentStatus } from "./enums.ts";
import { outcomeOfReversal, type ReversalRequest, reversalProblem } from "./reversal-machine.ts";

/**
 * The states of a payment initiation. Each transition adds an adjustment, and the last adjustment's status is the
 * initiation's. What is not in the table is refused, or, where a provider reports it, changes nothing.
 *
 * | From | Trigger | To |
 * | --- | --- | --- |
 * | nothing | created | WAITING_FOR_VALIDATION |
 * | WAITING_FOR_VALIDATION | `approve` | SCHEDULED_FOR_PROCESSING if its time is still to come, else PROCESSING |
 * | WAITING_FOR_VALIDATION | `reject` | REJECTED |
 * | WAITING_FOR_VALIDATION | `delete` | nothing is left of it |
 * | SCHEDULED_FOR_PROCESSING | `start`, when its time has come | PROCESSING |
 * | SCHEDULED_FOR_PROCESSING, PROCESSING | `failed`: it cannot be made | FAILED |
 * | any that was sent | `made`: the provider has made a payment | by map A |
 * | any that was sent | `reported`: a payment of it has a later state | by map B |
 * | FAILED, while nothing is reversed | `retry` | PROCESSING |
 * | any that was PROCESSED once | `reverse`, by at most what is left | REVERSE_PROCESSING |
 * | any with a reversal under way | `reversal-made`, `reversal-reported` | REVERSED, REVERSE_FAILED, or nothing yet |
 * | any with a reversal under way | `reversal-failed` | REVERSE_FAILED |
 *
 * What was sent is neither waiting, scheduled nor rejected. A transition to the same status that moves no money is left out.
 */
export interface InitiationState {
  readonly status: InitiationStatus;
  /** The amount of the initiation, which never changes. */
  readonly amount: bigint;
  readonly wasProcessed: boolean;
  /** What went back: the sum of the amounts of all adjustments that are REVERSED. */
  readonly reversed: bigint;
  /** What the reversal under way is to bring back; zero without one. */
  readonly reserved: bigint;
}

export type InitiationTrigger =
  | { readonly kind: "approve"; readonly isLater: boolean }
  | { readonly kind: "reject" }
  | { readonly kind: "delete" }
  | { readonly kind: "start" }
  | { readonly kind: "failed"; readonly error: string }
  | { readonly kind: "made"; readonly payment: PaymentStatus }
  | { readonly kind: "reported"; readonly payment: PaymentStatus; readonly amount?: bigint }
  | { readonly kind: "retry" }
  | ({ readonly kind: "reverse" } & ReversalRequest)
  | { readonly kind: "reversal-made" | "reversal-reported"; readonly payment: PaymentStatus }
  | { readonly kind: "reversal-failed"; readonly error: string };

/** What a transition adds. */
export interface NewAdjustment {
  readonly status: InitiationStatus;
  readonly amount?: bigint;
  readonly error?: string;
}

export type InitiationDecision =
  | {
      readonly kind: "adjusted";
      readonly adjustment: NewAdjustment;
      readonly state: InitiationState;
    }
  | { readonly kind: "unchanged" }
  | { readonly kind: "deleted" }
  | { readonly kind: "refused"; readonly reason: string };

/** The state of a new initiation, which its first adjustment gives it. */
export const newInitiation = (amount: bigint): InitiationState => ({
  status: "WAITING_FOR_VALIDATION",
  amount,
  wasProcessed: false,
  reversed: 0n,
  reserved: 0n,
});

/** What a trigger does to an initiation. */
export function decideInitiation(
  state: InitiationState,
  trigger: InitiationTrigger,
): InitiationDecision {
  switch (trigger.kind) {
    case "approve":
      return afterWaiting(state, "approve", () =>
        adjusted(state, {
          status: trigger.isLater ? "SCHEDULED_FOR_PROCESSING" : "PROCESSING",
        }),
      );
    case "reject":
      return afterWaiting(state, "reject", () => adjusted(state, { status: "REJECTED" }));
    case "delete":
      return afterWaiting(state, "delete", () => ({ kind: "deleted" }));
    case "start":
      return state.status === "SCHEDULED_FOR_PROCESSING"
        ? adjusted(state, { status: "PROCESSING" })
        : UNCHANGED;
    case "failed":
      return state.status === "PROCESSING" || state.status === "SCHEDULED_FOR_PROCESSING"
        ? adjusted(state, { status: "FAILED", error: trigger.error })
        : UNCHANGED;
    case "made":
      return reported(state, MADE[trigger.payment]);
    case "reported":
      return reported(state, {
        ...REPORTED[trigger.payment],
        ...(trigger.amount === undefined ? {} : { amount: trigger.amount }),
      });
    case "retry":
      return state.status === "FAILED" && state.reserved === 0n
        ? adjusted(state, { status: "PROCESSING" })
        : refused("cannot retry an already processed payment initiation: validation error");
    case "reverse":
      return reverse(state, trigger);
    case "reversal-made":
    case "reversal-reported":
      return settleReversal(state, OUTCOMES[outcomeOfReversal(trigger.payment)]);
    case "reversal-failed":
      return settleReversal(state, { status: "REVERSE_FAILED", error: trigger.error });
  }
}

/** Whether a provider may know of it. */
const wasSent = ({ status }: InitiationState): boolean =>
  status !== "WAITING_FOR_VALIDATION" &&
  status !== "SCHEDULED_FOR_PROCESSING" &&
  status !== "REJECTED";

const UNCHANGED = { kind: "unchanged" } as const satisfies InitiationDecision;

const PAYMENT_FAILED = { status: "FAILED", error: "payment failed" } as const;

/** Map A: what the payment that the provider has made is to the initiation. */
const MADE: Readonly<Record<PaymentStatus, NewAdjustment>> = {
  SUCCEEDED: { status: "PROCESSED" },
  CAPTURE: { status: "PROCESSED" },
  REFUND_REVERSED: { status: "PROCESSED" },
  CANCELLED: PAYMENT_FAILED,
  CAPTURE_FAILED: PAYMENT_FAILED,
  FAILED: PAYMENT_FAILED,
  EXPIRED: PAYMENT_FAILED,
  PENDING: { status: "PROCESSING" },
  AUTHORISATION: { status: "PROCESSING" },
  REFUNDED: { status: "REVERSED" },
  REFUNDED_FAILURE: { status: "REVERSE_FAILED" },
  UNKNOWN: { status: "UNKNOWN" },
  DISPUTE: { status: "UNKNOWN" },
  DISPUTE_WON: { status: "UNKNOWN" },
  DISPUTE_LOST: { status: "UNKNOWN" },
  AMOUNT_ADJUSTEMENT: { status: "UNKNOWN" },
  OTHER: { status: "UNKNOWN" },
};

/** Map B: what a later state of such a payment is to the initiation; nothing where it says nothing about it. */
const REPORTED: Readonly<Record<PaymentStatus, Partial<NewAdjustment>>> = {
  PENDING: { status: "PROCESSING" },
  AUTHORISATION: { status: "PROCESSING" },
  SUCCEEDED: { status: "PROCESSED" },
  CAPTURE: { status: "PROCESSED" },
  REFUND_REVERSED: { status: "PROCESSED" },
  DISPUTE_WON: { status: "PROCESSED" },
  CANCELLED: PAYMENT_FAILED,
  CAPTURE_FAILED: PAYMENT_FAILED,
  EXPIRED: PAYMENT_FAILED,
  FAILED: PAYMENT_FAILED,
  DISPUTE_LOST: PAYMENT_FAILED,
  DISPUTE: { status: "UNKNOWN" },
  REFUNDED: { status: "REVERSED" },
  REFUNDED_FAILURE: { status: "REVERSE_FAILED", error: "payment refund failed" },
  AMOUNT_ADJUSTEMENT: {},
  UNKNOWN: {},
  OTHER: {},
};

const OUTCOMES = {
  pending: undefined,
  reversed: { status: "REVERSED" },
  failed: { status: "REVERSE_FAILED", error: "payment refund failed" },
} as const satisfies Record<string, NewAdjustment | undefined>;

function afterWaiting(
  { status }: InitiationState,
  verb: string,
  decide: () => InitiationDecision,
): InitiationDecision {
  if (status === "WAITING_FOR_VALIDATION") return decide();
  return refused(`cannot ${verb} an already approved payment initiation: validation error`);
}

const refused = (reason: string): InitiationDecision => ({ kind: "refused", reason });

function adjusted(state: InitiationState, adjustment: NewAdjustment): InitiationDecision {
  const { status, amount = 0n } = adjustment;
  return {
    kind: "adjusted",
    adjustment,
    state: {
      ...state,
      status,
      wasProcessed: state.wasProcessed || status === "PROCESSED",
      reversed: status === "REVERSED" ? state.reversed + amount : state.reversed,
    },
  };
}

/** A provider reports late and twice, so that what says nothing new is left out. */
function reported(
  state: InitiationState,
  { status, amount, ...others }: Partial<NewAdjustment>,
): InitiationDecision {
  if (status === undefined || !wasSent(state)) return UNCHANGED;
  if (status === "REVERSED") return reportRefund(state, amount);
  // A payment that is done is not pending any more: the message has come late.
  const isLate = status === "PROCESSING" && state.status !== "UNKNOWN";
  return isLate || status === state.status ? UNCHANGED : adjusted(state, { ...others, status });
}

/** A refund that was not asked for here never counts for more than what is left, nor for what is being reversed. */
function reportRefund(state: InitiationState, amount: bigint | undefined): InitiationDecision {
  const left = state.amount - state.reversed - state.reserved;
  const refunded = amount === undefined || amount > left ? left : amount;
  return refunded <= 0n ? UNCHANGED : adjusted(state, { status: "REVERSED", amount: refunded });
}

function reverse(state: InitiationState, request: ReversalRequest): InitiationDecision {
  const problem = reversalProblem(state, request);
  if (problem !== undefined) return refused(problem);
  const { amount } = request;
  const decision = adjusted(state, { status: "REVERSE_PROCESSING", amount });
  return decision.kind === "adjusted"
    ? { ...decision, state: { ...decision.state, reserved: amount } }
    : decision;
}

/** Ends the reversal under way, if there is one and its outcome is known. */
function settleReversal(
  state: InitiationState,
  adjustment: NewAdjustment | undefined,
): InitiationDecision {
  if (adjustment === undefined || state.reserved === 0n) return UNCHANGED;
  const decision = adjusted(state, { ...adjustment, amount: state.reserved });
  return decision.kind === "adjusted"
    ? { ...decision, state: { ...decision.state, reserved: 0n } }
    : decision;
}
