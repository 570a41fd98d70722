import type { PaymentStatus } from "./enums.ts";
import type { Timestamp } from "#platform/time.ts";

/** What an adjustment says of the payment's amounts and status. */
export interface AdjustmentFacts {
  readonly createdAt: Timestamp;
  readonly status: PaymentStatus;
  /** Absent where it says nothing of money, such as a cancellation. */
  readonly amount?: bigint;
}

/** The amounts that a client has opened a payment with. */
export interface OpeningAmounts {
  readonly initialAmount: bigint;
  readonly amount: bigint;
}

/** What a payment comes to. */
export interface PaymentState extends OpeningAmounts {
  readonly status: PaymentStatus;
}

/**
 * A payment is what its adjustments make of it. Its status is that of the newest adjustment, and of several of one time that
 * of the one that was stored last. Its amounts begin with those of an opening, and each other adjustment has an effect:
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
 * The oldest adjustment that can open a payment, and has an amount, opens it; it says what the payment is about and has no
 * effect of its own. So a payment that is first seen as refunded, or as captured, has its own amount and not nothing, or twice
 * as much; and where its beginning arrives later, it takes its place. Money that is captured is only what the captures say,
 * whatever has announced it.
 *
 * All of this depends on what the adjustments say and not on the order in which they have come, but for adjustments of one time.
 */
export function derivePayment(
  adjustments: readonly AdjustmentFacts[],
  given?: OpeningAmounts,
): PaymentState {
  // Sorting keeps the order of those of one time.
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

/** The statuses of adjustments that are about the payment as a whole. */
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

/** Whether an adjustment is about the payment as a whole, so that its account, scheme and dates are those of the payment. */
export const canOpen = ({ status }: Pick<AdjustmentFacts, "status">): boolean =>
  OPENINGS.has(status);

/** The amounts before the effects. */
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
