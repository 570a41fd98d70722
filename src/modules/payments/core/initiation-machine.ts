import type { InitiationStatus, PaymentStatus } from "./enums.ts";
import { outcomeOfReversal, type ReversalRequest, reversalProblem } from "./reversal-machine.ts";

/**
 * The states of a payment initiation. Each transition adds an adjustment, whose status becomes that of the initiation.
 *
 *     created ──> WAITING_FOR_VALIDATION ── reject ──> REJECTED
 *                   │           │    └───── delete ──> (rows deleted)
 *           approve │           │ approve, with a time to come
 *                   │           v
 *                   │  SCHEDULED_FOR_PROCESSING ──── failed ─────┐
 *                   │           │ start                          │
 *                   v           v                                v
 *                   PROCESSING ─── failed, made, reported ──> FAILED
 *                     │     ^──────────── retry ─────────────────┘
 *                     │ made, reported
 *                     v
 *                   PROCESSED ── reverse ──> REVERSE_PROCESSING ──> REVERSED or REVERSE_FAILED
 *
 * The drawing shows the usual transitions, the table all of them:
 *
 * | From | Trigger | To |
 * | --- | --- | --- |
 * | nothing | created | WAITING_FOR_VALIDATION |
 * | WAITING_FOR_VALIDATION | `approve` | SCHEDULED_FOR_PROCESSING if its time is still to come, else PROCESSING |
 * | WAITING_FOR_VALIDATION | `reject` | REJECTED |
 * | WAITING_FOR_VALIDATION | `delete` | its rows are deleted |
 * | SCHEDULED_FOR_PROCESSING, PROCESSING | `withdraw`, before its provider was asked | REJECTED |
 * | SCHEDULED_FOR_PROCESSING | `start`, at its time | PROCESSING |
 * | SCHEDULED_FOR_PROCESSING, PROCESSING | `failed`: the payment cannot be made | FAILED |
 * | any sent state | `made`: the provider has made a payment | see `MADE` |
 * | any sent state | `reported`: this payment has a later state | see `REPORTED` |
 * | FAILED, while no reversal is under way | `retry` | PROCESSING |
 * | any state after PROCESSED | `reverse`, by at most the amount that is left | REVERSE_PROCESSING |
 * | any state with a reversal under way | `reversal-made`, `reversal-reported` | REVERSED, REVERSE_FAILED, or no change yet |
 * | any state with a reversal under way | `reversal-failed` | REVERSE_FAILED |
 *
 * Sent states are all but WAITING_FOR_VALIDATION, SCHEDULED_FOR_PROCESSING and REJECTED. A trigger that is not in the table
 * is refused when a client sends it, and changes nothing when a provider reports it. A transition to the same status that
 * moves no money adds no adjustment.
 */
export interface InitiationState {
  readonly status: InitiationStatus;
  /** The amount of the initiation. It never changes. */
  readonly amount: bigint;
  readonly wasProcessed: boolean;
  /** The money that has gone back: the sum of the amounts of all REVERSED adjustments. */
  readonly reversed: bigint;
  /** The amount of the reversal under way; zero without one. */
  readonly reserved: bigint;
}

export type InitiationTrigger =
  | { readonly kind: "approve"; readonly isLater: boolean }
  | { readonly kind: "reject" }
  | { readonly kind: "withdraw" }
  | { readonly kind: "delete" }
  | { readonly kind: "start" }
  | { readonly kind: "failed"; readonly error: string }
  | { readonly kind: "made"; readonly payment: PaymentStatus }
  | { readonly kind: "reported"; readonly payment: PaymentStatus; readonly amount?: bigint }
  | { readonly kind: "retry" }
  | ({ readonly kind: "reverse" } & ReversalRequest)
  | { readonly kind: "reversal-made" | "reversal-reported"; readonly payment: PaymentStatus }
  | { readonly kind: "reversal-failed"; readonly error: string };

/** The adjustment that a transition adds. */
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

/** The state of a new initiation, after its first adjustment. */
export const newInitiation = (amount: bigint): InitiationState => ({
  status: "WAITING_FOR_VALIDATION",
  amount,
  wasProcessed: false,
  reversed: 0n,
  reserved: 0n,
});

/** The effect of a trigger on an initiation. */
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
    case "withdraw":
      return isUnderWay(state)
        ? adjusted(state, { status: "REJECTED" })
        : refused("cannot withdraw a payment initiation that is not under way: validation error");
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

/** Whether an initiation is on its way, and has moved no money as far as is known. */
const isUnderWay = ({ status, wasProcessed, reversed, reserved }: InitiationState): boolean =>
  (status === "SCHEDULED_FOR_PROCESSING" || status === "PROCESSING") &&
  !wasProcessed &&
  reversed === 0n &&
  reserved === 0n;

/** Whether the provider may know the initiation. */
const wasSent = ({ status }: InitiationState): boolean =>
  status !== "WAITING_FOR_VALIDATION" &&
  status !== "SCHEDULED_FOR_PROCESSING" &&
  status !== "REJECTED";

const UNCHANGED = { kind: "unchanged" } as const satisfies InitiationDecision;

const PAYMENT_FAILED = { status: "FAILED", error: "payment failed" } as const;

/** The status that an initiation gets from the payment that its provider has just made. */
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

/**
 * The status that an initiation gets from a later state of its payment. Empty for a state that says nothing about the
 * initiation.
 */
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

/** Applies a report. Providers report late and twice, so a report without news adds no adjustment. */
function reported(
  state: InitiationState,
  { status, amount, ...others }: Partial<NewAdjustment>,
): InitiationDecision {
  if (status === undefined || !wasSent(state)) return UNCHANGED;
  if (status === "REVERSED") return reportRefund(state, amount);
  // A pending payment is no news of an initiation with a final status: the message has come late.
  const isLate = status === "PROCESSING" && state.status !== "UNKNOWN";
  return isLate || status === state.status ? UNCHANGED : adjusted(state, { ...others, status });
}

/** A refund that no reversal has asked for counts for at most the amount that is neither reversed nor being reversed. */
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

/** Ends the reversal under way, if there is one and if its outcome is known. */
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
