import { parseJson, stringifyJson } from "#platform/json.ts";

/** Amounts by asset, in the smallest unit of each asset. */
export type AssetBalances = Readonly<Record<string, bigint>>;

/** The assets that occur in one of several balances, in the order of their names. */
export const assetsOf = (...all: readonly AssetBalances[]): string[] =>
  [...new Set(all.flatMap((balances) => Object.keys(balances)))].toSorted();

export const absolute = (amount: bigint): bigint => (amount < 0n ? -amount : amount);

/** AssetBalances as a column holds them: JSON with exact integers. */
export const toBalancesColumn = (balances: AssetBalances): string => stringifyJson(balances);

/** The balances in a text of `toBalancesColumn`. */
export function fromBalancesColumn(text: string): AssetBalances {
  const stored = parseJson(text) as Readonly<Record<string, number | bigint>>; // only `toBalancesColumn` writes the column
  return Object.fromEntries(
    Object.entries(stored).map(([asset, amount]) => [asset, BigInt(amount)]),
  );
}
