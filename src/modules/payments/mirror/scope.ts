import { eq, type SQL, sql } from "drizzle-orm";
import type { BookingScope } from "#modules/payments/bookings/booking.ts";
import type { OwnedId } from "#modules/payments/core/ids.ts";
import type { ConnectorDirectory } from "#modules/payments/installs/directory.ts";
import { paymentPayments } from "#modules/payments/payments/tables.ts";
import { matchingAccounts } from "#modules/payments/pools/dynamic.ts";
import { findPoolQuery } from "#modules/payments/pools/store.ts";
import { paymentPoolAccounts } from "#modules/payments/pools/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { stringifyJson } from "#platform/json.ts";

/** The condition on the payments of a booking; undefined if its connector or pool does not exist any more. */
export async function paymentsOf(
  { env }: Pick<ServiceContext, "env">,
  scope: BookingScope,
  directory: ConnectorDirectory,
): Promise<SQL | undefined> {
  if ("connectorKey" in scope) {
    const { connectorKey } = scope;
    return directory.byKey(connectorKey) && eq(paymentPayments.connectorKey, connectorKey);
  }
  const pool = await findPoolQuery({ env }, scope.poolId);
  if (pool === undefined) return undefined;
  const members =
    pool.query === null
      ? memberKeys(pool.key)
      : keysOf(await matchingAccounts({ env }, pool.query), directory);
  const { sourceAccount, destinationAccount } = paymentPayments;
  return sql`(${sourceAccount} IN ${members} OR ${destinationAccount} IN ${members})`;
}

/** The accounts of a static pool, as payments name them; see `core/account-keys.ts`. */
const memberKeys = (poolKey: number): SQL => sql`(
  SELECT member.connector_key || ':' || member.account_reference
  FROM ${paymentPoolAccounts} AS member WHERE member.pool_key = ${poolKey})`;

const keysOf = (accounts: readonly OwnedId[], directory: ConnectorDirectory): SQL =>
  sql`(SELECT value FROM json_each(${stringifyJson(accounts.map((id) => directory.accountKeyOf(id)))}))`;
