import { eq, type SQL, sql } from "drizzle-orm";
import type { BookingScope } from "./booking.ts";
import type { ConnectorDirectory } from "#modules/payments/installs/directory.ts";
import { paymentPayments } from "#modules/payments/payments/tables.ts";
import { matchingAccounts } from "#modules/payments/pools/dynamic.ts";
import { findPool } from "#modules/payments/pools/store.ts";
import type { ServiceContext } from "#platform/context.ts";
import { stringifyJson } from "#platform/json.ts";

/** The condition of the payments that a booking is for; undefined where its connector or its pool is gone. */
export async function paymentsOf(
  { env }: Pick<ServiceContext, "env">,
  scope: BookingScope,
  directory: ConnectorDirectory,
): Promise<SQL | undefined> {
  if ("connectorKey" in scope) {
    const { connectorKey } = scope;
    return directory.byKey(connectorKey) && eq(paymentPayments.connectorKey, connectorKey);
  }
  const pool = await findPool({ env }, scope.poolId);
  if (pool === undefined) return undefined;
  const accounts =
    pool.query === undefined ? pool.accounts : await matchingAccounts({ env }, pool.query);
  const keys = stringifyJson(accounts.map((id) => directory.accountKeyOf(id)));
  const members = sql`(SELECT value FROM json_each(${keys}))`;
  const { sourceAccount, destinationAccount } = paymentPayments;
  return sql`(${sourceAccount} IN ${members} OR ${destinationAccount} IN ${members})`;
}
