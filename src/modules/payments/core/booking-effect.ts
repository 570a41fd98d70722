import type { PaymentStatus } from "./enums.ts";

/**
 * How much of a payment's money is at the account that was paid. Each adjustment of the payment changes this sum, and the
 * ledger books the change:
 *
 * | Status | Meaning | Change |
 * | --- | --- | --- |
 * | `SUCCEEDED` | the whole amount has moved | the amount, less the money that had moved before |
 * | `CAPTURE` | a further amount has moved | the amount |
 * | `AMOUNT_ADJUSTEMENT` | another amount than first reported has moved | the difference; none if nothing has moved |
 * | `REFUNDED` | an amount has gone back | minus the amount |
 * | `REFUNDED_FAILURE`, `REFUND_REVERSED` | a refund did not happen | the amount, but no more than has gone back |
 * | `DISPUTE` | an amount is withheld | minus the amount; without an amount, minus all that is left |
 * | `DISPUTE_WON` | nothing is withheld any more | the withheld amount |
 * | `DISPUTE_LOST` | the withheld amount has gone back | none; if nothing was withheld, minus the amount |
 * | `CANCELLED`, `FAILED`, `EXPIRED` | nothing has moved | minus all that is left |
 * | `PENDING`, `AUTHORISATION`, `CAPTURE_FAILED`, `OTHER`, `UNKNOWN` | no money has moved yet, or the status says nothing of money | none |
 */
export interface MovedMoney {
  readonly settled: bigint;
  readonly returned: bigint;
  readonly withheld: bigint;
}

export const NOTHING_MOVED: MovedMoney = { settled: 0n, returned: 0n, withheld: 0n };

/** The money that is left at the account that was paid. */
export const netOf = ({ settled, returned, withheld }: MovedMoney): bigint =>
  settled - returned - withheld;

/** The money after an adjustment. An adjustment may have no amount. */
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
