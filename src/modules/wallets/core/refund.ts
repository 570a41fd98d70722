import type { Part } from "./scripts.ts";

/**
 * Divides what is left of a hold among those who gave to it, in their order, to each at most what it gave. What is beyond that goes to
 * `rest`.
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

/** Adds up the parts of each account. The order is that of the first part of each. */
export function mergeParts(parts: readonly Part[]): Part[] {
  const sums = new Map<string, bigint>();
  for (const { account, amount } of parts) sums.set(account, (sums.get(account) ?? 0n) + amount);
  return [...sums].map(([account, amount]) => ({ account, amount }));
}
