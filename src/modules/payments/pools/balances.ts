import { type SQL, sql } from "drizzle-orm";
import { matchingAccountQueries } from "./dynamic.ts";
import { getPoolQuery, type PoolQuery } from "./store.ts";
import { paymentPoolAccounts } from "./tables.ts";
import { paymentAccounts } from "#modules/payments/accounts/tables.ts";
import { confirmedAt } from "#modules/payments/balances/confirmations.ts";
import { paymentBalances } from "#modules/payments/balances/tables.ts";
import { encodeOwnedId, ownedIdsOf } from "#modules/payments/core/ids.ts";
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
 * The sums of the balances of a pool's accounts, now or at a past time. A balance whose last report is before this time is
 * left out. Throws `NOT_FOUND`.
 */
export async function poolBalances(
  context: Pick<ServiceContext, "env">,
  { poolId, at }: { readonly poolId: string; readonly at?: Timestamp },
): Promise<PoolBalance[]> {
  const pool = await getPoolQuery(context, poolId);
  const rows: BalanceRow[] = [];
  for await (const accounts of memberQueries(context, pool)) {
    rows.push(...(await readBalances(context, accounts, at)));
  }
  const directory = await ConnectorDirectory.read(context);
  return sumBalances(memberBalances(rows, directory));
}

/** Most accounts without a balance that `lastKnownPoolBalances` names. */
const UNKNOWN_MAX = 10;

/** The balances of a pool as they were last known at a moment. */
export interface LastKnownBalances {
  readonly balances: readonly PoolBalance[];
  /** The ids of internal accounts that have no balance at or before the moment, at most `UNKNOWN_MAX` of them. */
  readonly unknownIds: readonly string[];
}

/**
 * The sums of the balances of a pool's accounts that were reported last at or before a moment, however long before. They differ from those
 * of `poolBalances` in that no later report has to confirm them. Throws `NOT_FOUND`.
 */
export async function lastKnownPoolBalances(
  context: Pick<ServiceContext, "env">,
  { poolId, at }: { readonly poolId: string; readonly at: Timestamp },
): Promise<LastKnownBalances> {
  const pool = await getPoolQuery(context, poolId);
  const rows: BalanceRow[] = [];
  const unknown: Member[] = [];
  for await (const accounts of memberQueries(context, pool)) {
    rows.push(...(await readLastKnown(context, accounts, at)));
    if (unknown.length < UNKNOWN_MAX) unknown.push(...(await readUnknown(context, accounts, at)));
  }
  const directory = await ConnectorDirectory.read(context);
  return {
    balances: sumBalances(memberBalances(rows, directory)),
    unknownIds: unknown.slice(0, UNKNOWN_MAX).flatMap(({ connectorKey, reference }) => {
      const connector = directory.byKey(connectorKey);
      return connector === undefined ? [] : [encodeOwnedId({ connector: connector.id, reference })];
    }),
  };
}

interface Member {
  readonly connectorKey: number;
  readonly reference: string;
}

interface BalanceRow extends Member {
  readonly asset: string;
  readonly amount: string;
}

/** Queries of the accounts of a pool, with columns `connector` and `reference`. */
async function* memberQueries(
  context: Pick<ServiceContext, "env">,
  { key, query }: PoolQuery,
): AsyncGenerator<SQL> {
  const members = sql`(
    SELECT m.connector_key AS connector, m.account_reference AS reference
    FROM ${paymentPoolAccounts} AS m WHERE m.pool_key = ${key})`;
  const accounts = query === null ? [members] : await matchingAccountQueries(context, query);
  yield* accounts;
}

const readBalances = (
  { env }: Pick<ServiceContext, "env">,
  accounts: SQL,
  at: Timestamp | undefined,
): Promise<BalanceRow[]> =>
  databaseOf(env).all<BalanceRow>(
    at === undefined
      ? sql`SELECT ${columnsOf("newest")} FROM ${newestOf(accounts)}`
      : sql`SELECT ${columnsOf("b")}
          FROM ${newestOf(accounts)} CROSS JOIN ${paymentBalances} AS b ON b.key = ${lastBegunAt(at)}
          WHERE b.last_updated_at >= ${at} OR (b.is_open = 1 AND ${confirmedAt("b")} >= ${at})`,
  );

const readLastKnown = (
  { env }: Pick<ServiceContext, "env">,
  accounts: SQL,
  at: Timestamp,
): Promise<BalanceRow[]> =>
  databaseOf(env).all<BalanceRow>(sql`
    SELECT ${columnsOf("b")}
    FROM ${newestOf(accounts)} CROSS JOIN ${paymentBalances} AS b ON b.key = ${lastBegunAt(at)}`);

/** Accounts without a balance at or before a moment. External ones, which dynamic pools may have, have no balances at all. */
const readUnknown = (
  { env }: Pick<ServiceContext, "env">,
  accounts: SQL,
  at: Timestamp,
): Promise<Member[]> =>
  databaseOf(env).all<Member>(sql`
    SELECT member.connector AS connectorKey, member.reference FROM ${accounts} AS member
    CROSS JOIN ${paymentAccounts} AS a
      ON a.reference = member.reference AND a.connector_key = member.connector AND a.type = 'INTERNAL'
    WHERE NOT EXISTS (
      SELECT 1 FROM ${paymentBalances} AS known
      WHERE known.connector_key = member.connector AND known.account_reference = member.reference
        AND known.created_at <= ${at})
    LIMIT ${UNKNOWN_MAX}`);

const columnsOf = (balance: string): SQL =>
  sql.raw(
    `${balance}.connector_key AS connectorKey, ${balance}.account_reference AS reference, ${balance}.asset, ${balance}.amount`,
  );

/** The open balances of accounts, joined to `accounts` as `newest`. */
const newestOf = (
  accounts: SQL,
): SQL => sql`${accounts} AS member CROSS JOIN ${paymentBalances} AS newest
  ON newest.connector_key = member.connector AND newest.account_reference = member.reference
    AND newest.is_open = 1`;

/**
 * The key of the balance that began last before or at a time, in SQL. Balances of an account and asset follow each other
 * without a gap, so no earlier balance can hold at this time. The newest balance is the usual result.
 */
const lastBegunAt = (
  at: Timestamp,
): SQL => sql`CASE WHEN newest.created_at <= ${at} THEN newest.key ELSE (
  SELECT begun.key FROM ${paymentBalances} AS begun
  WHERE begun.connector_key = newest.connector_key AND begun.account_reference = newest.account_reference
    AND begun.asset = newest.asset AND begun.created_at <= ${at}
  ORDER BY begun.created_at DESC, begun.key DESC LIMIT 1) END`;

/** The balances of pool members. Rows of one account follow each other, so the account's id is made once. */
function* memberBalances(
  rows: readonly BalanceRow[],
  directory: ConnectorDirectory,
): Generator<MemberBalance> {
  const idsOf = new Map(
    [...new Set(rows.map(({ connectorKey }) => connectorKey))].flatMap((key) => {
      const connector = directory.byKey(key);
      return connector === undefined ? [] : [[key, ownedIdsOf(connector.id)] as const];
    }),
  );
  let previous: { connectorKey: number; reference: string; accountId: string } | undefined;
  for (const { connectorKey, reference, asset, amount } of rows) {
    if (previous?.reference !== reference || previous.connectorKey !== connectorKey) {
      const accountId = idsOf.get(connectorKey)?.(reference);
      if (accountId === undefined) continue;
      previous = { connectorKey, reference, accountId };
    }
    yield { accountId: previous.accountId, asset, amount: BigInt(amount) };
  }
}
