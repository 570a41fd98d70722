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

/** Filters of a list of wallets: the whole name, and values of metadata that must match. A cursor replaces both. */
export interface WalletListRequest extends WalletPageRequest {
  readonly name?: string | undefined;
  readonly metadata?: WalletMetadata | undefined;
}

/**
 * Lists wallets in ascending order of their ids without dashes. A page may be short and still have a next one. Throws
 * `UNAUTHENTICATED` if the principal is bound to other ledgers.
 */
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
