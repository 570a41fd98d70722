import type { WalletBalance } from "./balance.ts";
import { isMain } from "./chart.ts";

/**
 * Orders the balances of a wallet as they are spent: first those that expire, the earliest at the front, then the others by priority, and
 * the main balance last. Equal balances keep their order.
 */
export const inSpendingOrder = <B extends WalletBalance>(balances: readonly B[]): B[] =>
  balances.toSorted(compare);

function compare(a: WalletBalance, b: WalletBalance): number {
  if (isMain(a.name) !== isMain(b.name)) return isMain(a.name) ? 1 : -1;
  if (a.expiresAt !== undefined && b.expiresAt !== undefined) {
    return a.expiresAt === b.expiresAt ? 0 : a.expiresAt < b.expiresAt ? -1 : 1;
  }
  if (a.expiresAt !== undefined) return -1;
  if (b.expiresAt !== undefined) return 1;
  return a.priority === b.priority ? 0 : a.priority < b.priority ? -1 : 1;
}
