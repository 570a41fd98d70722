import { absolute, assetsOf, type AssetBalances } from "./balances.ts";

/** The comparison of a ledger with a pool. All three balances have the same assets. */
export interface Drift {
  readonly ledger: AssetBalances;
  readonly payments: AssetBalances;
  /** The absolute sum of both sides, by asset. */
  readonly drift: AssetBalances;
  /** The assets whose drift is not zero, in the order of their names. */
  readonly failing: readonly string[];
}

/**
 * Compares the balances of a ledger with those of a pool: each asset's two balances have to add up to zero, because the ledger holds as a
 * debt what the pool holds as money. An asset that one side lacks counts as zero there.
 */
export function driftOf(ledger: AssetBalances, payments: AssetBalances): Drift {
  const assets = assetsOf(ledger, payments);
  const side = (balances: AssetBalances): AssetBalances =>
    Object.fromEntries(assets.map((asset) => [asset, balances[asset] ?? 0n]));
  const drift = Object.fromEntries(
    assets.map((asset) => [asset, absolute((ledger[asset] ?? 0n) + (payments[asset] ?? 0n))]),
  );
  return {
    ledger: side(ledger),
    payments: side(payments),
    drift,
    failing: assets.filter((asset) => drift[asset] !== 0n),
  };
}

/** The sentence of a reconciliation about the assets that fail; empty for none. */
export const driftError = ({ failing }: Drift): string =>
  failing.map((asset) => `balance drift for asset ${asset}`).join("; ");
