import { type SQL, sql } from "drizzle-orm";
import { type FoundAccount, scanAccounts } from "./dynamic.ts";
import type { Pool } from "./pool.ts";
import { getPool } from "./store.ts";
import { paymentPoolAccounts } from "./tables.ts";
import { paymentBalances } from "#modules/payments/balances/tables.ts";
import { encodeOwnedId } from "#modules/payments/core/ids.ts";
import {
  type MemberBalance,
  type PoolBalance,
  sumBalances,
} from "#modules/payments/core/pool-balances.ts";
import { ConnectorDirectory } from "#modules/payments/installs/directory.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { jsonRows } from "#platform/db/json-rows.ts";
import type { Timestamp } from "#platform/time.ts";

/**
 * What the accounts of a pool hold together: now, or at a moment that their balances were known at. A moment after the last
 * report of a balance gives nothing of it. Throws `NOT_FOUND`.
 */
export async function poolBalances(
  context: Pick<ServiceContext, "env">,
  { poolId, at }: { readonly poolId: string; readonly at?: Timestamp },
): Promise<PoolBalance[]> {
  const pool = await getPool(context, poolId);
  const rows: BalanceRow[] = [];
  for await (const page of balanceRows(context, pool, at)) rows.push(...page);
  const directory = await ConnectorDirectory.read(context);
  return sumBalances(rows.flatMap((row) => toMemberBalances(row, directory)));
}

interface BalanceRow {
  readonly connectorKey: number;
  readonly accountReference: string;
  readonly asset: string;
  readonly amount: string;
  readonly createdAt: Timestamp;
}

async function* balanceRows(
  context: Pick<ServiceContext, "env">,
  pool: Pool,
  at: Timestamp | undefined,
): AsyncGenerator<readonly BalanceRow[]> {
  if (pool.query === undefined) {
    const members = sql`(
      SELECT m.connector_key AS connector, m.account_reference AS reference
      FROM ${paymentPoolAccounts} AS m WHERE m.pool_key = ${pool.key})`;
    yield await readBalances(context, members, at);
    return;
  }
  for await (const accounts of scanAccounts(context, pool.query)) {
    yield await readBalances(context, accountsIn(accounts), at);
  }
}

const accountsIn = (accounts: readonly FoundAccount[]): SQL => sql`(
  SELECT r.item ->> 0 AS connector, r.item ->> 1 AS reference
  FROM ${jsonRows(accounts.map(({ connectorKey, reference }) => [connectorKey, reference]))} AS r)`;

const readBalances = (
  { env }: Pick<ServiceContext, "env">,
  accounts: SQL,
  at: Timestamp | undefined,
): Promise<BalanceRow[]> =>
  databaseOf(env).all<BalanceRow>(sql`
    SELECT b.connector_key AS connectorKey, b.account_reference AS accountReference, b.asset, b.amount,
      b.created_at AS createdAt
    FROM ${accounts} AS member CROSS JOIN ${paymentBalances} AS newest
      ON newest.connector_key = member.connector AND newest.account_reference = member.reference
        AND newest.is_open = 1
    CROSS JOIN ${paymentBalances} AS b ON b.key = ${at === undefined ? sql`newest.key` : lastBegunAt(at)}
    WHERE ${at === undefined ? sql`TRUE` : sql`b.last_updated_at >= ${at}`}`);

/**
 * The key of the balance that had begun last at a moment. Those of an account and asset follow each other without a gap up to the
 * newest one, so that none before it needs to be read.
 */
const lastBegunAt = (at: Timestamp): SQL => sql`(
  SELECT begun.key FROM ${paymentBalances} AS begun
  WHERE begun.connector_key = newest.connector_key AND begun.account_reference = newest.account_reference
    AND begun.asset = newest.asset AND begun.created_at <= ${at}
  ORDER BY begun.created_at DESC, begun.key DESC LIMIT 1)`;

function toMemberBalances(
  { connectorKey, accountReference, asset, amount, createdAt }: BalanceRow,
  directory: ConnectorDirectory,
): MemberBalance[] {
  const connector = directory.byKey(connectorKey);
  if (connector === undefined) return [];
  const accountId = encodeOwnedId({ connector: connector.id, reference: accountReference });
  return [{ accountId, asset, amount: BigInt(amount), since: createdAt }];
}
