import type { PaymentStatus } from "./enums.ts";
import type { Timestamp } from "#platform/time.ts";

export interface AdjustmentFacts {
  readonly createdAt: Timestamp;
  readonly status: PaymentStatus;
  /** Absent for an adjustment that says nothing of money, such as a cancellation. */
  readonly amount?: bigint;
}

/** The amounts of a payment when it was created by a client. */
export interface OpeningAmounts {
  readonly initialAmount: bigint;
  readonly amount: bigint;
}

/** The status and amounts that follow from a payment's adjustments. */
export interface PaymentState extends OpeningAmounts {
  readonly status: PaymentStatus;
}

/**
 * Derives status and amounts of a payment from its adjustments. The status is that of the newest adjustment; among
 * adjustments of the same time, that of the one stored last. The amounts begin with those of the opening adjustment, and
 * each other adjustment has an effect:
 *
 * | Status of the adjustment | can open | effect on the amounts |
 * | --- | --- | --- |
 * | `UNKNOWN`, `PENDING`, `SUCCEEDED`, `FAILED`, `CANCELLED`, `EXPIRED`, `OTHER` | yes | none |
 * | `AUTHORISATION` | yes, with the amount 0 | none |
 * | `CAPTURE` | if nothing else can | `amount` grows |
 * | `REFUNDED` | if nothing else can | `amount` shrinks |
 * | `REFUND_REVERSED` | if nothing else can | `amount` grows |
 * | `AMOUNT_ADJUSTEMENT` | if nothing else can | `initialAmount` becomes that of the newest one |
 * | `CAPTURE_FAILED`, `REFUNDED_FAILURE`, `DISPUTE`, `DISPUTE_WON`, `DISPUTE_LOST` | if nothing else can | none |
 *
 * The oldest adjustment that can open a payment and has an amount is the opening one. It says the amount of the payment and
 * has no further effect. A payment that is first seen as refunded or captured therefore starts with the amount of this
 * first adjustment, which is not counted again; when an earlier adjustment arrives later, the earlier one becomes the
 * opening. Once there is a capture, `amount` counts only captures, whatever the opening has announced.
 *
 * The result depends on what the adjustments say and not on the order in which they arrive, except among adjustments of the
 * same time.
 */
export function derivePayment(
  adjustments: readonly AdjustmentFacts[],
  given?: OpeningAmounts,
): PaymentState {
  // The sort is stable: adjustments of the same time stay in the order in which they were stored.
  const inOrder = adjustments.toSorted((a, b) => compare(a.createdAt, b.createdAt));
  const stating = inOrder.filter((it) => it.amount !== undefined);
  const opening = stating.find(({ status }) => OPENINGS.has(status)) ?? stating[0];
  const effects = stating.filter((it) => it !== opening);
  const opened = given ?? amountsOf(opening, effects);
  const corrected = effects.findLast(({ status }) => status === "AMOUNT_ADJUSTEMENT");
  return {
    initialAmount: corrected?.amount ?? opened.initialAmount,
    amount: effects.reduce((sum, effect) => sum + changeOf(effect), opened.amount),
    status: inOrder.at(-1)?.status ?? "UNKNOWN",
  };
}

/** Statuses of adjustments that describe the payment as a whole. */
const OPENINGS: ReadonlySet<PaymentStatus> = new Set([
  "UNKNOWN",
  "PENDING",
  "SUCCEEDED",
  "CANCELLED",
  "FAILED",
  "EXPIRED",
  "AUTHORISATION",
  "OTHER",
]);

/** Whether an adjustment describes the payment as a whole, so that the payment takes its accounts, scheme and dates from it. */
export const canOpen = ({ status }: Pick<AdjustmentFacts, "status">): boolean =>
  OPENINGS.has(status);

/** The amounts of a payment before its adjustments have their effects. */
function amountsOf(
  opening: AdjustmentFacts | undefined,
  effects: readonly AdjustmentFacts[],
): OpeningAmounts {
  const amount = opening?.amount ?? 0n;
  const captures = effects.filter(({ status }) => status === "CAPTURE");
  if (opening?.status === "CAPTURE") {
    return { initialAmount: captures.reduce((sum, it) => sum + (it.amount ?? 0n), amount), amount };
  }
  const isCaptured = opening?.status === "AUTHORISATION" || captures.length > 0;
  return { initialAmount: amount, amount: isCaptured ? 0n : amount };
}

function changeOf({ status, amount = 0n }: AdjustmentFacts): bigint {
  if (status === "REFUNDED") return -amount;
  return status === "CAPTURE" || status === "REFUND_REVERSED" ? amount : 0n;
}

const compare = (a: Timestamp, b: Timestamp): number => (a < b ? -1 : a > b ? 1 : 0);
