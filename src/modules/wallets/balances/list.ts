import type { BookAccount } from "#modules/wallets/core/account.ts";
import { type BalanceWithAssets, toBalance } from "#modules/wallets/core/balance.ts";
import { KEYS, type WalletMetadata, TRUE } from "#modules/wallets/core/keys.ts";
import { WalletLedger } from "#modules/wallets/ledger.ts";
import {
  itemsOf,
  listAccounts,
  type WalletPageRequest,
  match,
  matchCustom,
} from "#modules/wallets/lists.ts";
import type { ServiceContext } from "#platform/context.ts";
import type { Page } from "#platform/paging/pagination.ts";

export interface BalanceListRequest extends WalletPageRequest {
  readonly walletId: string;
  /** Metadata that the balances must have. Only main balances have metadata of clients. */
  readonly metadata?: WalletMetadata | undefined;
}

const testsOf = (walletId: string) => [match(KEYS.isBalance, TRUE), match(KEYS.walletId, walletId)];

/** Lists the balances of a wallet in the order of their names. An unknown wallet has none. */
export async function listBalances(
  context: ServiceContext,
  { walletId, metadata = {}, ...page }: BalanceListRequest,
): Promise<Page<BalanceWithAssets>> {
  const tests = [...testsOf(walletId), ...matchCustom(metadata)];
  return listAccounts(WalletLedger.of(context), { tests, page, toItem: toBalance });
}

export interface FoundBalance {
  readonly address: string;
  readonly balance: BalanceWithAssets;
}

export async function allBalances(ledger: WalletLedger, walletId: string): Promise<FoundBalance[]> {
  return itemsOf(await ledger.allAccounts(testsOf(walletId)), toFound);
}

export function toFound(account: BookAccount): FoundBalance | undefined {
  const balance = toBalance(account);
  return balance === undefined ? undefined : { address: account.address, balance };
}
