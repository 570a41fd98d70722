import { asc, type SQL, sql } from "drizzle-orm";
import { POOL_ACCOUNTS_MAX } from "./pool.ts";
import { ACCOUNT_KEYS } from "#modules/payments/accounts/list.ts";
import { ACCOUNT_SEGMENTS } from "#modules/payments/accounts/segments.ts";
import { paymentAccounts } from "#modules/payments/accounts/tables.ts";
import type { OwnedId } from "#modules/payments/core/ids.ts";
import { ConnectorDirectory } from "#modules/payments/installs/directory.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { toCondition } from "#platform/db/filter-sql.ts";

/** Throws `VALIDATION` for a filter that lists of accounts do not accept. */
export function assertAccountFilter(query: string): void {
  toCondition(ACCOUNT_KEYS, query);
}

/** The first `POOL_ACCOUNTS_MAX` accounts that a filter finds. */
export async function matchingAccounts(
  context: Pick<ServiceContext, "env">,
  query: string,
): Promise<OwnedId[]> {
  const db = databaseOf(context.env);
  const condition = toCondition(ACCOUNT_KEYS, query);
  const segments = await ACCOUNT_SEGMENTS.candidates(db, query);
  const rows = await db
    .select({ connectorKey: paymentAccounts.connectorKey, reference: paymentAccounts.reference })
    .from(paymentAccounts)
    .where(segments === undefined ? condition : ACCOUNT_SEGMENTS.isIn(segments, condition))
    .orderBy(asc(paymentAccounts.key))
    .limit(POOL_ACCOUNTS_MAX);
  const directory = await ConnectorDirectory.read(context);
  return rows.flatMap(({ connectorKey, reference }) => {
    const connector = directory.byKey(connectorKey);
    return connector === undefined ? [] : [{ connector: connector.id, reference }];
  });
}

/**
 * Queries of all accounts that a filter finds, in the order in which the accounts were stored. Each query has some
 * thousands of accounts, with the connector's key as `connector` and the account's reference as `reference`.
 */
export async function matchingAccountQueries(
  { env }: Pick<ServiceContext, "env">,
  query: string,
): Promise<SQL[]> {
  const condition = toCondition(ACCOUNT_KEYS, query) ?? sql`TRUE`;
  const segments = await ACCOUNT_SEGMENTS.allCandidates(databaseOf(env), query);
  const queries: SQL[] = [];
  for (let first = 0; first < segments.length; first += SEGMENTS_AT_ONCE) {
    const some = segments.slice(first, first + SEGMENTS_AT_ONCE);
    queries.push(sql`(
      SELECT ${paymentAccounts.connectorKey} AS connector, ${paymentAccounts.reference} AS reference
      FROM ${ACCOUNT_SEGMENTS.rowsIn(some)} WHERE ${condition})`);
  }
  return queries;
}

const SEGMENTS_AT_ONCE = 500;
