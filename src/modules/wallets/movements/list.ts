import type { LedgerTransaction } from "#modules/ledger/index.ts";
import { balanceAddress, isWalletId } from "#modules/wallets/core/chart.ts";
import { KEYS, TRUE } from "#modules/wallets/core/keys.ts";
import { WalletLedger } from "#modules/wallets/ledger.ts";
import { type WalletPageRequest, match } from "#modules/wallets/lists.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import type { Page } from "#platform/paging/pagination.ts";

export interface MovementListRequest extends WalletPageRequest {
  /** Only transactions that have touched the main balance of this wallet. */
  readonly walletId?: string | undefined;
}

/** Lists the transactions of wallets, the newest first. */
export async function listMovements(
  context: ServiceContext,
  { walletId, ...page }: MovementListRequest = {},
): Promise<Page<LedgerTransaction>> {
  const tests = [
    match(KEYS.transaction, TRUE),
    ...(walletId === undefined ? [] : [{ $match: { account: mainOf(walletId) } }]),
  ];
  return WalletLedger.of(context).pageOfTransactions(tests, page);
}

function mainOf(walletId: string): string {
  if (isWalletId(walletId)) return balanceAddress(walletId);
  throw new AppError("VALIDATION", "invalid wallet id");
}
