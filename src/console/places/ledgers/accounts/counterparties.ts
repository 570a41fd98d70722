import type { FlowPosting } from "#console/parts/graphs/flows.ts";
import type { Transaction } from "#console/places/ledgers/queries.ts";

/** What an account received from others and sent to them, as far as its transactions were read. Only sums are kept. */
export interface Counterparties {
  readonly transactions: number;
  readonly sums: ReadonlyMap<string, FlowPosting>;
}

export const NOBODY: Counterparties = { transactions: 0, sums: new Map() };

/** Adds transactions to the sums of an account. */
export function addTransactions(
  { transactions, sums }: Counterparties,
  rows: readonly Transaction[],
  address: string,
): Counterparties {
  const next = new Map(sums);
  for (const { postings } of rows) {
    for (const { source, destination, amount, asset } of postings) {
      if ((source === address) === (destination === address)) continue;
      const key = `${source} ${destination} ${asset}`;
      const before = BigInt(next.get(key)?.amount ?? 0);
      next.set(key, { source, destination, asset, amount: before + BigInt(amount) });
    }
  }
  return { transactions: transactions + rows.length, sums: next };
}

/** The sums in one asset. */
export const inAsset = ({ sums }: Counterparties, asset: string): readonly FlowPosting[] =>
  [...sums.values()].filter((sum) => sum.asset === asset);
