/** The balance of one account in one asset. */
export interface MemberBalance {
  readonly accountId: string;
  readonly asset: string;
  readonly amount: bigint;
}

export interface PoolBalance {
  readonly asset: string;
  readonly amount: bigint;
  /** The accounts that have a balance in the asset. */
  readonly accountIds: readonly string[];
}

/**
 * Sums the balances of accounts, of which each has one balance for each asset. The sums are in the order of the assets'
 * names.
 */
export function sumBalances(balances: Iterable<MemberBalance>): PoolBalance[] {
  const sums = new Map<string, { amount: bigint; readonly accountIds: string[] }>();
  for (const { accountId, asset, amount } of balances) {
    const sum = sums.get(asset) ?? { amount: 0n, accountIds: [] };
    sum.amount += amount;
    sum.accountIds.push(accountId);
    sums.set(asset, sum);
  }
  return [...sums]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([asset, sum]) => ({ asset, ...sum }));
}
