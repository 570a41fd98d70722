import { and, asc, type SQL, sql } from "drizzle-orm";
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
  const rows = await databaseOf(context.env)
    .select({ connectorKey: paymentAccounts.connectorKey, reference: paymentAccounts.reference })
    .from(paymentAccounts)
    .where(toCondition(ACCOUNT_KEYS, query))
    .orderBy(asc(paymentAccounts.key))
    .limit(POOL_ACCOUNTS_MAX);
  const directory = await ConnectorDirectory.read(context);
  return rows.flatMap(({ connectorKey, reference }) => {
    const connector = directory.byKey(connectorKey);
    return connector === undefined ? [] : [{ connector: connector.id, reference }];
  });
}

/** The keys of all accounts that a filter finds, in their order. They come from the index of lists, page by page. */
export async function matchingAccountKeys(
  { env }: Pick<ServiceContext, "env">,
  query: string,
): Promise<number[]> {
  const { key, createdAt } = paymentAccounts;
  const condition = toCondition(ACCOUNT_KEYS, query);
  const keys: number[] = [];
  for (let beyond: SQL | undefined; ;) {
    const page = await databaseOf(env)
      .select({ key, createdAt })
      .from(paymentAccounts)
      .where(and(condition, beyond))
      .orderBy(asc(createdAt), asc(key))
      .limit(PAGE_SIZE);
    for (const found of page) keys.push(found.key);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_SIZE) {
      return keys.toSorted((a, b) => a - b);
    }
    beyond = sql`(${createdAt}, ${key}) > (${last.createdAt}, ${last.key})`;
  }
}

/** Accounts that are read at a time. */
const PAGE_SIZE = 5000;
