import { takeFromHold } from "./close.ts";
import { readUnexpired } from "./expire.ts";
import { balanceAddress, holdAddress } from "#modules/wallets/core/chart.ts";
import { confirmScript } from "#modules/wallets/core/scripts.ts";
import { subjectAddress } from "#modules/wallets/core/subject.ts";
import { WalletLedger } from "#modules/wallets/ledger.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";

export interface HoldConfirmation {
  readonly holdId: string;
  /** The amount to move; without it, all that the hold has left. */
  readonly amount?: bigint | undefined;
  /** Whether the rest of the hold then goes back to the wallet's main balance. */
  readonly isFinal?: boolean | undefined;
  /** A confirmation with a key happens once. The member may be undefined but not absent, so that no caller forgets the key. */
  readonly idempotencyKey: string | undefined;
}

/** Moves money of a hold to its destination. Throws `NOT_FOUND`, `HOLD_CLOSED`, `INSUFFICIENT_FUND` and `VALIDATION`. */
export async function confirmHold(
  context: ServiceContext,
  { holdId, amount, isFinal = false, idempotencyKey }: HoldConfirmation,
): Promise<void> {
  if (amount !== undefined && amount <= 0n) {
    throw new AppError("VALIDATION", "the amount of a confirmation has to be positive");
  }
  const ledger = WalletLedger.of(context);
  await takeFromHold(ledger, {
    read: () => readUnexpired(context, { ledger, holdId }),
    idempotencyKey,
    amount,
    toScript: ({ id, asset, walletId, destination }, wanted) =>
      confirmScript(
        { amount: wanted, asset },
        {
          hold: holdAddress(id),
          destination: subjectAddress(destination),
          ...(isFinal ? { rest: balanceAddress(walletId) } : {}),
        },
      ),
  });
}
