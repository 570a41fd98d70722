import { allBalances, type FoundBalance, toFound } from "#modules/wallets/balances/list.ts";
import { isExpired } from "#modules/wallets/core/balance.ts";
import { balanceAddress, isMain } from "#modules/wallets/core/chart.ts";
import { inSpendingOrder } from "#modules/wallets/core/spending-order.ts";
import type { WalletLedger } from "#modules/wallets/ledger.ts";
import { AppError } from "#platform/errors.ts";
import type { Timestamp } from "#platform/time.ts";

/** Most accounts from which one movement takes money. The script declares a variable for each. */
const SOURCES_MAX = 400;

/** Throws `VALIDATION` for more sources than a script may have. */
export function assertSourceCount(sources: readonly unknown[]): void {
  if (sources.length <= SOURCES_MAX) return;
  throw new AppError("VALIDATION", `a movement takes from at most ${SOURCES_MAX} accounts`);
}

/** The name that stands for all balances of a wallet, in the order of spending. */
export const ALL_BALANCES = "*";

/** The balances from which a debit takes money. */
export interface Spending {
  readonly walletId: string;
  /** Names of balances in the order of spending, or `*` alone; empty for the main balance. */
  readonly balances: readonly string[];
  readonly asset: string;
  /** Whether the debit has an idempotency key, so that a repetition has to take from the same balances. */
  readonly isKeyed: boolean;
  readonly now: Timestamp;
}

/**
 * The accounts from which a debit takes money, in their order. Throws `VALIDATION`, and `INSUFFICIENT_FUND` if all balances have expired.
 */
export async function spendingAccounts(
  ledger: WalletLedger,
  spending: Spending,
): Promise<string[]> {
  const { walletId, balances, isKeyed, now } = spending;
  if (balances.length === 0) return [balanceAddress(walletId)];
  if (balances.includes(ALL_BALANCES)) {
    if (balances.length > 1) throw new AppError("VALIDATION", "'*' stands for all balances alone");
    if (isKeyed) throw notRepeatable();
    const live = (await allBalances(ledger, walletId)).filter(isLiveAt(now));
    return accountsOf(inOrder(live.filter(mayGive(spending))), walletId);
  }
  assertSourceCount(balances);
  const addresses = balances.map((name) => balanceAddress(walletId, name));
  const found = await Promise.all(addresses.map((address) => findBalance(ledger, address)));
  const live = found.filter(isLiveAt(now));
  if (isKeyed && live.some(({ balance }) => balance.expiresAt !== undefined)) {
    throw notRepeatable();
  }
  return accountsOf(live, walletId);
}

const isLiveAt =
  (now: Timestamp) =>
  ({ balance }: FoundBalance): boolean =>
    !isExpired(balance, now);

/** Whether a balance among all may give. Balances without the asset are left out, so that they do not count towards `SOURCES_MAX`. */
const mayGive =
  ({ asset }: Spending) =>
  ({ balance }: FoundBalance): boolean =>
    isMain(balance.name) || (balance.assets[asset] ?? 0n) > 0n;

/** Balances in the order of spending. */
const inOrder = (found: readonly FoundBalance[]): FoundBalance[] =>
  inSpendingOrder(found.map(({ address, balance }) => ({ ...balance, address }))).map(
    ({ address, ...balance }) => ({ address, balance }),
  );

function accountsOf(found: readonly FoundBalance[], walletId: string): string[] {
  if (found.length === 0) throw new AppError("INSUFFICIENT_FUND", "insufficient fund");
  assertSourceCount(found);
  for (const { address, balance } of found) {
    // A client has changed the metadata in the ledger. The account is not the wallet's to spend.
    if (address === balanceAddress(walletId, balance.name)) continue;
    throw new AppError("VALIDATION", `the account '${address}' is not the balance that it names`);
  }
  return found.map(({ address }) => address);
}

/** Finds a balance. Throws `VALIDATION` where there is none. */
async function findBalance(ledger: WalletLedger, address: string): Promise<FoundBalance> {
  const account = await ledger.findAccount(address);
  const found = account === undefined ? undefined : toFound(account);
  if (found === undefined) throw new AppError("VALIDATION", "invalid balance specified");
  return found;
}

const notRepeatable = (): AppError =>
  new AppError(
    "VALIDATION",
    "wildcard or expiring balances cannot be combined with an idempotency key",
  );
