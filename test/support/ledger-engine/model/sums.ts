import type { AccountVolumes, Posting, Transaction } from "#ledger-engine/rules/types.ts";

export type Pair = Pick<AccountVolumes, "account" | "asset">;

/** Accounts and assets of postings, in order of first appearance. */
export function pairsOf(postings: readonly Posting[]): Pair[] {
  const pairs = new Map<string, Pair>();
  for (const { source, destination, asset } of postings) {
    for (const account of [source, destination]) {
      const key = `${account} ${asset}`;
      if (!pairs.has(key)) pairs.set(key, { account, asset });
    }
  }
  return [...pairs.values()];
}

/** The volumes of an account and asset after some transactions. */
export function sumOf(
  transactions: readonly Transaction[],
  { account, asset }: Pair,
): AccountVolumes {
  let [input, output] = [0n, 0n];
  for (const posting of transactions.flatMap(({ postings }) => postings)) {
    if (posting.asset !== asset) continue;
    if (posting.destination === account) input += posting.amount;
    if (posting.source === account) output += posting.amount;
  }
  return { account, asset, input, output };
}

/** The sum that postings add to an account, less the sum that they take. */
export function netOf(postings: readonly Posting[], account: string, asset: string): bigint {
  let net = 0n;
  for (const posting of postings) {
    if (posting.asset !== asset) continue;
    if (posting.destination === account) net += posting.amount;
    if (posting.source === account) net -= posting.amount;
  }
  return net;
}
