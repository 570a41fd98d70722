import { LedgerClient } from "#modules/ledger/index.ts";
import { poolBalances } from "#modules/payments/index.ts";
import type { AssetBalances } from "#modules/reconciliation/core/balances.ts";
import type { ServiceContext } from "#platform/context.ts";
import { formatTimestamp, type Timestamp } from "#platform/time.ts";

/** The accounts of a ledger that a filter of the ledger's list language matches. */
export interface LedgerAccounts {
  readonly ledger: string;
  readonly query: LedgerQuery | null;
}

/** A filter as a decoded JSON object. */
export type LedgerQuery = Readonly<Record<string, unknown>>;

/**
 * The balances of an account set by asset, summed over its accounts, as of a moment by effective dates. Throws `LEDGER_NOT_FOUND`,
 * `UNAUTHENTICATED` where the principal may not use the ledger, and `VALIDATION` for a bad filter.
 */
export const ledgerBalances = (
  context: ServiceContext,
  { ledger, query }: LedgerAccounts,
  at: Timestamp,
): Promise<AssetBalances> =>
  new LedgerClient(context, ledger).aggregateBalances({
    pit: formatTimestamp(at),
    ...(query === null ? {} : { where: query }),
  });

/** The balances of a pool by asset: the newest ones, or those of a past moment. Throws `NOT_FOUND` for an unknown pool. */
export async function balancesOfPool(
  context: ServiceContext,
  poolId: string,
  at: Timestamp | undefined,
): Promise<AssetBalances> {
  const balances = await poolBalances(context, {
    poolId,
    ...(at === undefined ? {} : { at }),
  });
  return Object.fromEntries(balances.map(({ asset, amount }) => [asset, amount]));
}
