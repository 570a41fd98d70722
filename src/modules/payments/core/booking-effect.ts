import type { PaymentStatus } from "./enums.ts";

/**
 * What each adjustment of a payment does to the money that has moved, from the account that paid to the one that was paid. The
 * ledger books the change:
 *
 * | Status | Then | Change |
 * | --- | --- | --- |
 * | `SUCCEEDED` | the whole amount has moved | the amount, less what had moved before |
 * | `CAPTURE` | so much more has moved | the amount |
 * | `AMOUNT_ADJUSTEMENT` | what has moved was another amount | the difference; none where nothing has moved |
 * | `REFUNDED` | so much has gone back | the amount, back |
 * | `REFUNDED_FAILURE`, `REFUND_REVERSED` | a refund did not happen | the amount, but no more than has gone back |
 * | `DISPUTE` | so much is withheld | the amount, back; without one, all that is there |
 * | `DISPUTE_WON` | nothing is withheld | what was withheld |
 * | `DISPUTE_LOST` | what was withheld has gone back | none; where nothing was withheld, the amount, back |
 * | `CANCELLED`, `FAILED`, `EXPIRED` | nothing has moved | all that is there, back |
 * | `PENDING`, `AUTHORISATION`, `CAPTURE_FAILED`, `OTHER`, `UNKNOWN` | nothing has happened | none |
 */
export interface MovedMoney {
  readonly settled: bigint;
  readonly returned: bigint;
  readonly withheld: bigint;
}

export const NOTHING_MOVED: MovedMoney = { settled: 0n, returned: 0n, withheld: 0n };

/** What is there at the one who was paid. */
export const netOf = ({ settled, returned, withheld }: MovedMoney): bigint =>
  settled - returned - withheld;

/** The money after an adjustment, whose amount may be absent. */
export function afterAdjustment(
  money: MovedMoney,
  { status, amount }: { readonly status: PaymentStatus; readonly amount: bigint | undefined },
): MovedMoney {
  const { settled, returned, withheld } = money;
  const given = amount ?? 0n;
  switch (status) {
    case "SUCCEEDED":
      return { ...money, settled: amount ?? settled };
    case "CAPTURE":
      return { ...money, settled: settled + given };
    case "AMOUNT_ADJUSTEMENT":
      return settled === 0n ? money : { ...money, settled: amount ?? settled };
    case "REFUNDED":
      return { ...money, returned: returned + given };
    case "REFUNDED_FAILURE":
    case "REFUND_REVERSED":
      return { ...money, returned: returned - least(given, returned) };
    case "DISPUTE":
      return { ...money, withheld: withheld + (amount ?? netOf(money)) };
    case "DISPUTE_WON":
      return { ...money, withheld: 0n };
    case "DISPUTE_LOST":
      return { ...money, withheld: 0n, returned: returned + (withheld === 0n ? given : withheld) };
    case "CANCELLED":
    case "FAILED":
    case "EXPIRED":
      return NOTHING_MOVED;
    case "PENDING":
    case "AUTHORISATION":
    case "CAPTURE_FAILED":
    case "OTHER":
    case "UNKNOWN":
      return money;
  }
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
