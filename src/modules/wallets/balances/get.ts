import { type BalanceWithAssets, toBalance } from "#modules/wallets/core/balance.ts";
import { balanceAddress, isBalanceName, isWalletId } from "#modules/wallets/core/chart.ts";
import { WalletLedger } from "#modules/wallets/ledger.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";

export interface BalanceOf {
  readonly walletId: string;
  readonly name: string;
}

/** Reads a balance with its assets. Throws `NOT_FOUND`. */
export async function getBalance(
  context: ServiceContext,
  { walletId, name }: BalanceOf,
): Promise<BalanceWithAssets> {
  const mayExist = isWalletId(walletId) && isBalanceName(name);
  const account = mayExist
    ? await WalletLedger.of(context).findAccount(balanceAddress(walletId, name))
    : undefined;
  const balance = account === undefined ? undefined : toBalance(account);
  if (balance === undefined) throw new AppError("NOT_FOUND", "balance not found");
  return balance;
}
