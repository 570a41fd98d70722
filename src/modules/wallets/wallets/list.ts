import { KEYS, type WalletMetadata, PRIMARY } from "#modules/wallets/core/keys.ts";
import { toWallet, type Wallet } from "#modules/wallets/core/wallet.ts";
import { WalletLedger } from "#modules/wallets/ledger.ts";
import {
  listAccounts,
  type WalletPageRequest,
  match,
  matchCustom,
} from "#modules/wallets/lists.ts";
import type { ServiceContext } from "#platform/context.ts";
import type { Page } from "#platform/paging/pagination.ts";

export interface WalletListRequest extends WalletPageRequest {
  readonly name?: string | undefined;
  readonly metadata?: WalletMetadata | undefined;
}

/** Lists wallets in the order of their ids. Names are not unique. */
export async function listWallets(
  context: ServiceContext,
  { name, metadata = {}, ...page }: WalletListRequest = {},
): Promise<Page<Wallet>> {
  const ledger = WalletLedger.of(context);
  const tests = [
    match(KEYS.type, PRIMARY),
    ...(name === undefined ? [] : [match(KEYS.walletName, name)]),
    ...matchCustom(metadata),
  ];
  return listAccounts(ledger, { tests, page, toItem: (account) => toWallet(account, ledger.name) });
}
