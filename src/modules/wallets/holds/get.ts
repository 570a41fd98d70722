import { holdAddress, isHoldId } from "#modules/wallets/core/chart.ts";
import { type HoldState, toHold } from "#modules/wallets/core/hold.ts";
import { WalletLedger } from "#modules/wallets/ledger.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";

/** Reads a hold, open or closed. Throws `NOT_FOUND`. */
export async function getHold(context: ServiceContext, holdId: string): Promise<HoldState> {
  return readHold(WalletLedger.of(context), holdId);
}

/** Reads a hold, open or closed. Throws `NOT_FOUND`. */
export async function readHold(ledger: WalletLedger, holdId: string): Promise<HoldState> {
  const hold = await findHold(ledger, holdId);
  if (hold === undefined) throw new AppError("NOT_FOUND", "hold not found");
  return hold;
}

export async function findHold(
  ledger: WalletLedger,
  holdId: string,
): Promise<HoldState | undefined> {
  const account = isHoldId(holdId) ? await ledger.findAccount(holdAddress(holdId)) : undefined;
  return account === undefined ? undefined : toHold(account);
}
