import { LedgerClient } from "#modules/ledger/index.ts";
import { lastKnownPoolBalances, type PoolBalance, poolBalances } from "#modules/payments/index.ts";
import type { AssetBalances } from "#modules/reconciliation/core/balances.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
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

/**
 * The balances of a pool by asset: the newest ones, or those that were last known at a past moment, which no later report has to confirm.
 * Throws `NOT_FOUND` for an unknown pool, and `VALIDATION` for a moment at which the balance of an account of the pool was not known yet.
 */
export async function balancesOfPool(
  context: ServiceContext,
  poolId: string,
  at: Timestamp | undefined,
): Promise<AssetBalances> {
  if (at === undefined) return byAsset(await poolBalances(context, { poolId }));
  const { balances, unknownIds } = await lastKnownPoolBalances(context, { poolId, at });
  if (unknownIds.length === 0) return byAsset(balances);
  throw new AppError(
    "VALIDATION",
    `accounts of the pool ${poolId} have no balance at or before ${formatTimestamp(at)}, so the balance of the pool was not known then: ${unknownIds.join(", ")}`,
  );
}

const byAsset = (balances: readonly PoolBalance[]): AssetBalances =>
  Object.fromEntries(balances.map(({ asset, amount }) => [asset, amount]));
