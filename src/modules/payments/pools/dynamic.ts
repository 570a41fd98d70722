import { and, asc, gt } from "drizzle-orm";
import { POOL_ACCOUNTS_MAX } from "./pool.ts";
import { ACCOUNT_KEYS } from "#modules/payments/accounts/list.ts";
import { paymentAccounts } from "#modules/payments/accounts/tables.ts";
import type { OwnedId } from "#modules/payments/core/ids.ts";
import { ConnectorDirectory } from "#modules/payments/installs/directory.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { toCondition } from "#platform/db/filter-sql.ts";

/** Throws `VALIDATION` for a filter that lists of accounts do not take. */
export function assertAccountFilter(query: string): void {
  toCondition(ACCOUNT_KEYS, query);
}

/** The first accounts that a filter finds, at most as many as an event names. */
export async function matchingAccounts(
  context: Pick<ServiceContext, "env">,
  query: string,
): Promise<OwnedId[]> {
  const rows = await scan(context, query, { after: 0, limit: POOL_ACCOUNTS_MAX });
  const directory = await ConnectorDirectory.read(context);
  return rows.flatMap(({ connectorKey, reference }) => {
    const connector = directory.byKey(connectorKey);
    return connector === undefined ? [] : [{ connector: connector.id, reference }];
  });
}

/** An account that a filter finds. */
export interface FoundAccount {
  readonly key: number;
  readonly connectorKey: number;
  readonly reference: string;
}

/** All accounts that a filter finds, in pages. */
export async function* scanAccounts(
  context: Pick<ServiceContext, "env">,
  query: string,
): AsyncGenerator<readonly FoundAccount[]> {
  for (let after: number | undefined = 0; after !== undefined;) {
    const page: readonly FoundAccount[] = await scan(context, query, { after, limit: PAGE_SIZE });
    if (page.length > 0) yield page;
    after = page.length < PAGE_SIZE ? undefined : page.at(-1)?.key;
  }
}

/** Accounts that are read at a time. */
const PAGE_SIZE = 1000;

const scan = (
  { env }: Pick<ServiceContext, "env">,
  query: string,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<FoundAccount[]> =>
  databaseOf(env)
    .select({
      key: paymentAccounts.key,
      connectorKey: paymentAccounts.connectorKey,
      reference: paymentAccounts.reference,
    })
    .from(paymentAccounts)
    .where(and(gt(paymentAccounts.key, after), toCondition(ACCOUNT_KEYS, query)))
    .orderBy(asc(paymentAccounts.key))
    .limit(limit);
