import { allBalances } from "#modules/wallets/balances/list.ts";
import { toHold } from "#modules/wallets/core/hold.ts";
import { HOLD, KEYS } from "#modules/wallets/core/keys.ts";
import { toSummary, type WalletSummary } from "#modules/wallets/core/summary.ts";
import { WalletLedger } from "#modules/wallets/ledger.ts";
import { itemsOf, match } from "#modules/wallets/lists.ts";
import type { ServiceContext } from "#platform/context.ts";

/** Adds up the balances and holds of a wallet. An unknown wallet has none. */
export async function summarizeWallet(
  context: ServiceContext,
  walletId: string,
): Promise<WalletSummary> {
  const ledger = WalletLedger.of(context);
  const [balances, holds] = await Promise.all([
    allBalances(ledger, walletId),
    ledger.allAccounts([match(KEYS.type, HOLD), match(KEYS.holdWalletId, walletId)]),
  ]);
  return toSummary(
    balances.map(({ balance }) => balance),
    { holds: itemsOf(holds, toHold), now: context.clock() },
  );
}
