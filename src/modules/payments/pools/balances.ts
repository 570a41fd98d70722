import { type SQL, sql } from "drizzle-orm";
import { matchingAccountQueries } from "./dynamic.ts";
import { getPoolQuery, type PoolQuery } from "./store.ts";
import { paymentPoolAccounts } from "./tables.ts";
import { confirmedAt } from "#modules/payments/balances/confirmations.ts";
import { paymentBalances } from "#modules/payments/balances/tables.ts";
import { ownedIdsOf } from "#modules/payments/core/ids.ts";
import {
  type MemberBalance,
  type PoolBalance,
  sumBalances,
} from "#modules/payments/core/pool-balances.ts";
import { ConnectorDirectory } from "#modules/payments/installs/directory.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import type { Timestamp } from "#platform/time.ts";

/**
 * What the accounts of a pool hold together: now, or at a moment that their balances were known at. A moment after the last
 * report of a balance gives nothing of it. Throws `NOT_FOUND`.
 */
export async function poolBalances(
  context: Pick<ServiceContext, "env">,
  { poolId, at }: { readonly poolId: string; readonly at?: Timestamp },
): Promise<PoolBalance[]> {
  const pool = await getPoolQuery(context, poolId);
  const rows: BalanceRow[] = [];
  for await (const page of balanceRows(context, pool, at)) rows.push(...page);
  const directory = await ConnectorDirectory.read(context);
  return sumBalances(memberBalances(rows, directory));
}

/** They may be many, and are read as arrays in less time than as objects. */
type BalanceRow = [connectorKey: number, accountReference: string, asset: string, amount: string];

async function* balanceRows(
  context: Pick<ServiceContext, "env">,
  { key, query }: PoolQuery,
  at: Timestamp | undefined,
): AsyncGenerator<readonly BalanceRow[]> {
  const members = sql`(
    SELECT m.connector_key AS connector, m.account_reference AS reference
    FROM ${paymentPoolAccounts} AS m WHERE m.pool_key = ${key})`;
  const accounts = query === null ? [members] : await matchingAccountQueries(context, query);
  for (const some of accounts) yield await readBalances(context, some, at);
}

const readBalances = (
  { env }: Pick<ServiceContext, "env">,
  accounts: SQL,
  at: Timestamp | undefined,
): Promise<BalanceRow[]> =>
  databaseOf(env).values<BalanceRow>(
    at === undefined
      ? sql`SELECT ${columnsOf("newest")} FROM ${newestOf(accounts)}`
      : sql`SELECT ${columnsOf("b")}
          FROM ${newestOf(accounts)} CROSS JOIN ${paymentBalances} AS b ON b.key = ${lastBegunAt(at)}
          WHERE b.last_updated_at >= ${at} OR (b.is_open = 1 AND ${confirmedAt("b")} >= ${at})`,
  );

const columnsOf = (balance: string): SQL =>
  sql.raw(
    ["connector_key", "account_reference", "asset", "amount"]
      .map((name) => `${balance}.${name}`)
      .join(", "),
  );

/** The newest balances of accounts. */
const newestOf = (
  accounts: SQL,
): SQL => sql`${accounts} AS member CROSS JOIN ${paymentBalances} AS newest
  ON newest.connector_key = member.connector AND newest.account_reference = member.reference
    AND newest.is_open = 1`;

/**
 * The key of the balance that had begun last at a moment: mostly the newest one. Those of an account and asset follow each other without
 * a gap up to the newest one, so that none before it needs to be read.
 */
const lastBegunAt = (
  at: Timestamp,
): SQL => sql`CASE WHEN newest.created_at <= ${at} THEN newest.key ELSE (
  SELECT begun.key FROM ${paymentBalances} AS begun
  WHERE begun.connector_key = newest.connector_key AND begun.account_reference = newest.account_reference
    AND begun.asset = newest.asset AND begun.created_at <= ${at}
  ORDER BY begun.created_at DESC, begun.key DESC LIMIT 1) END`;

/** Balances of an account follow each other, so that its id is made once. */
function* memberBalances(
  rows: readonly BalanceRow[],
  directory: ConnectorDirectory,
): Generator<MemberBalance> {
  const idsOf = new Map(
    [...new Set(rows.map(([connectorKey]) => connectorKey))].flatMap((key) => {
      const connector = directory.byKey(key);
      return connector === undefined ? [] : [[key, ownedIdsOf(connector.id)] as const];
    }),
  );
  let previous: { connectorKey: number; reference: string; accountId: string } | undefined;
  for (const [connectorKey, reference, asset, amount] of rows) {
    if (previous?.reference !== reference || previous.connectorKey !== connectorKey) {
      const accountId = idsOf.get(connectorKey)?.(reference);
      if (accountId === undefined) continue;
      previous = { connectorKey, reference, accountId };
    }
    yield { accountId: previous.accountId, asset, amount: BigInt(amount) };
  }
}
