import { type LedgerAccounts } from "./read.ts";
import { LedgerClient, type LedgerList } from "#modules/ledger/index.ts";
import type { AssetBalances } from "#modules/reconciliation/core/balances.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { formatTimestamp, type Timestamp } from "#platform/time.ts";

/** Most accounts that one read of balances by account takes, and most balances of them. */
export const ACCOUNTS_MAX = 10_000;
const BALANCES_MAX = 50_000;
const PAGE_SIZE = 1000;

/**
 * The balances of the accounts of a set, by account and asset, as of a moment by effective dates. Accounts without a balance have an empty
 * entry. Throws as `ledgerBalances` does, and `VALIDATION` for more than `ACCOUNTS_MAX` accounts.
 */
export async function balancesByAccount(
  context: ServiceContext,
  { ledger, query }: LedgerAccounts,
  { at, signal }: { readonly at: Timestamp; readonly signal: AbortSignal },
): Promise<ReadonlyMap<string, AssetBalances>> {
  const client = new LedgerClient(context, ledger);
  const scope = { pit: formatTimestamp(at), ...(query === null ? {} : { where: query }) };
  const balances = new Map<string, Record<string, bigint>>();
  const accountOf = (address: string): Record<string, bigint> => {
    const known = balances.get(address) ?? {};
    balances.set(address, known);
    if (balances.size > ACCOUNTS_MAX) throw tooMany(ledger, `${ACCOUNTS_MAX} accounts`);
    return known;
  };
  for await (const { address } of walk(client.accounts(scope), signal)) accountOf(address);
  let count = 0;
  for await (const { account, asset, balance } of walk(client.balancesByAccount(scope), signal)) {
    if (++count > BALANCES_MAX) throw tooMany(ledger, `${BALANCES_MAX} balances`);
    accountOf(account)[asset] = balance;
  }
  return balances;
}

const tooMany = (ledger: string, limit: string): AppError =>
  new AppError(
    "VALIDATION",
    `the query matches more than ${limit} of the ledger '${ledger}', which is the most that a rule by account reads; narrow the query`,
  );

/** The items of a list, read in large pages until the signal aborts. */
async function* walk<T>(list: LedgerList<T>, signal: AbortSignal): AsyncGenerator<T, void> {
  let cursor: string | undefined;
  do {
    signal.throwIfAborted();
    const { data, next } = await list.page({ pageSize: PAGE_SIZE, cursor });
    yield* data;
    cursor = next;
  } while (cursor !== undefined);
}
