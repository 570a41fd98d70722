import { balanceAddress, isWalletId } from "#modules/wallets/core/chart.ts";
import { toWallet, type Wallet } from "#modules/wallets/core/wallet.ts";
import { WalletLedger } from "#modules/wallets/ledger.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";

/** Reads a wallet with the assets of its main balance. Throws `NOT_FOUND`. */
export async function getWallet(context: ServiceContext, id: string): Promise<Wallet> {
  const ledger = WalletLedger.of(context);
  const account = isWalletId(id) ? await ledger.findAccount(balanceAddress(id)) : undefined;
  const wallet = account === undefined ? undefined : toWallet(account, ledger.name);
  if (wallet === undefined) throw new AppError("NOT_FOUND", "wallet not found");
  return wallet;
}
