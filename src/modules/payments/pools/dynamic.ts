import { asc, type SQL, sql } from "drizzle-orm";
import { POOL_ACCOUNTS_MAX } from "./pool.ts";
import { ACCOUNT_BLOOM_INDEX } from "#modules/payments/accounts/bloom-index.ts";
import { ACCOUNT_KEYS } from "#modules/payments/accounts/list.ts";
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
  const blocks = await ACCOUNT_BLOOM_INDEX.candidateBlocks(db, query);
  const rows = await db
    .select({ connectorKey: paymentAccounts.connectorKey, reference: paymentAccounts.reference })
    .from(paymentAccounts)
    .where(blocks === undefined ? condition : ACCOUNT_BLOOM_INDEX.isInBlocks(blocks, condition))
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
  const blocks = await ACCOUNT_BLOOM_INDEX.allCandidateBlocks(databaseOf(env), query);
  const queries: SQL[] = [];
  for (let first = 0; first < blocks.length; first += BLOCKS_PER_QUERY) {
    const some = blocks.slice(first, first + BLOCKS_PER_QUERY);
    queries.push(sql`(
      SELECT ${paymentAccounts.connectorKey} AS connector, ${paymentAccounts.reference} AS reference
      FROM ${ACCOUNT_BLOOM_INDEX.rowsInBlocks(some)} WHERE ${condition})`);
  }
  return queries;
}

const BLOCKS_PER_QUERY = 500;
