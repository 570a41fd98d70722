import type { Assets } from "./account.ts";
import { type BalanceWithAssets, isExpired } from "./balance.ts";
import type { HoldState } from "./hold.ts";
import type { Timestamp } from "#platform/time.ts";

/** The balances of a wallet, and the sums of its money, by asset. */
export interface WalletSummary {
  readonly balances: readonly BalanceWithAssets[];
  readonly availableFunds: Assets;
  /** The part of the available funds that will expire. */
  readonly expirableFunds: Assets;
  readonly expiredFunds: Assets;
  readonly holdFunds: Assets;
}

export function toSummary(
  balances: readonly BalanceWithAssets[],
  { holds, now }: { readonly holds: readonly HoldState[]; readonly now: Timestamp },
): WalletSummary {
  const [expired, live] = [
    balances.filter((balance) => isExpired(balance, now)),
    balances.filter((balance) => !isExpired(balance, now)),
  ];
  return {
    balances,
    availableFunds: sum(live.map(({ assets }) => assets)),
    expirableFunds: sum(
      live.filter(({ expiresAt }) => expiresAt !== undefined).map(({ assets }) => assets),
    ),
    expiredFunds: sum(expired.map(({ assets }) => assets)),
    holdFunds: sum(holds.map(({ asset, remaining }) => ({ [asset]: remaining }))),
  };
}

function sum(parts: readonly Assets[]): Assets {
  const totals = new Map<string, bigint>();
  for (const part of parts) {
    for (const [asset, amount] of Object.entries(part)) {
      totals.set(asset, (totals.get(asset) ?? 0n) + amount);
    }
  }
  return Object.fromEntries(totals);
}
