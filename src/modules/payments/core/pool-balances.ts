/** A balance of one account, as it was stored from one moment on. */
export interface MemberBalance {
  readonly accountId: string;
  readonly asset: string;
  readonly amount: bigint;
  /** When it began: of two of one account and asset, the later one counts. */
  readonly since: string;
}

export interface PoolBalance {
  readonly asset: string;
  readonly amount: bigint;
  /** The accounts that hold the asset. */
  readonly accountIds: readonly string[];
}

/** Sums the balances of accounts, each account with its newest one. Assets are in the order of their names. */
export function sumBalances(balances: Iterable<MemberBalance>): PoolBalance[] {
  const byAsset = new Map<string, Map<string, MemberBalance>>();
  for (const balance of balances) {
    const held = byAsset.get(balance.asset) ?? new Map<string, MemberBalance>();
    byAsset.set(balance.asset, held);
    const known = held.get(balance.accountId);
    if (known === undefined || known.since < balance.since) held.set(balance.accountId, balance);
  }
  return [...byAsset]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([asset, held]) => ({
      asset,
      amount: [...held.values()].reduce((sum, { amount }) => sum + amount, 0n),
      accountIds: [...held.keys()],
    }));
}
