import { type HoldState, toHold } from "#modules/wallets/core/hold.ts";
import { HOLD, KEYS, type WalletMetadata } from "#modules/wallets/core/keys.ts";
import { WalletLedger } from "#modules/wallets/ledger.ts";
import {
  listAccounts,
  type WalletPageRequest,
  match,
  matchCustom,
} from "#modules/wallets/lists.ts";
import type { ServiceContext } from "#platform/context.ts";
import type { Page } from "#platform/paging/pagination.ts";

export interface HoldListRequest extends WalletPageRequest {
  readonly walletId?: string | undefined;
  readonly metadata?: WalletMetadata | undefined;
}

/** Lists holds in the order of their ids, closed ones included. */
export async function listHolds(
  context: ServiceContext,
  { walletId, metadata = {}, ...page }: HoldListRequest = {},
): Promise<Page<HoldState>> {
  const tests = [
    match(KEYS.type, HOLD),
    ...(walletId === undefined ? [] : [match(KEYS.holdWalletId, walletId)]),
    ...matchCustom(metadata),
  ];
  return listAccounts(WalletLedger.of(context), { tests, page, toItem: toHold });
}
