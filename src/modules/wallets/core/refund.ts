import type { Part } from "./scripts.ts";

/**
 * Divides the remaining amount of a hold among the accounts that gave to it, in their order, to each at most the amount that it gave.
 * Anything beyond goes to `rest`.
 */
export function refund(
  remaining: bigint,
  { given, rest }: { readonly given: readonly Part[]; readonly rest: string },
): Part[] {
  const parts: Part[] = [];
  let left = remaining;
  for (const { account, amount } of given) {
    const part = amount < left ? amount : left;
    if (part > 0n) parts.push({ account, amount: part });
    left -= part;
  }
  if (left > 0n) parts.push({ account: rest, amount: left });
  return mergeParts(parts);
}

/** Adds up the parts of each account. Accounts are in the order of their first parts. */
export function mergeParts(parts: readonly Part[]): Part[] {
  const sums = new Map<string, bigint>();
  for (const { account, amount } of parts) sums.set(account, (sums.get(account) ?? 0n) + amount);
  return [...sums].map(([account, amount]) => ({ account, amount }));
}
