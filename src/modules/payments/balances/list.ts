import { and, eq, getTableColumns, or, type SQL, sql } from "drizzle-orm";
import type { Balance } from "./balance.ts";
import { confirmedAt } from "./confirmations.ts";
import { paymentBalances } from "./tables.ts";
import { given } from "#modules/payments/core/given.ts";
import type { OwnedId } from "#modules/payments/core/ids.ts";
import { connectorKeySql } from "#modules/payments/installs/filters.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { isSelected, type ListTable, listPage } from "#platform/db/list.ts";
import { mapPage, type Page } from "#platform/paging/pagination.ts";
import type { ListOptions, PageQuery } from "#platform/paging/query.ts";
import { toMicros } from "#platform/time.ts";

/** The options of a list; an empty text does not restrict the list. Times are in the form of rows. */
export const BALANCE_OPTIONS = { asset: "", from: "", to: "" } as const satisfies ListOptions;

const BALANCES: ListTable<typeof paymentBalances.$inferSelect> = {
  sort: {
    created_at: {
      type: "date",
      column: paymentBalances.createdAt,
      tie: paymentBalances.key,
      keyOf: ({ createdAt, key }) => ({ value: toMicros(createdAt), tie: BigInt(key) }),
    },
  },
};

/** A page of an account's balances over time, newest first; empty for an unknown account. */
export async function listBalances(
  { env }: Pick<ServiceContext, "env">,
  account: OwnedId,
  query: PageQuery,
): Promise<Page<Balance>> {
  const { asset = "", from = "", to = "" } = query.options ?? {};
  const ofAccount = and(
    eq(paymentBalances.connectorKey, connectorKeySql(account.connector)),
    eq(paymentBalances.accountReference, account.reference),
    asset === "" ? undefined : eq(paymentBalances.asset, String(asset)),
  );
  const later = and(
    ofAccount,
    from === ""
      ? undefined
      : or(
          sql`${paymentBalances.lastUpdatedAt} >= ${from}`,
          sql`${paymentBalances.key} IN (${confirmedSince(ofAccount, String(from))})`,
        ),
  );
  const narrowed = and(
    later,
    to === "" ? undefined : sql`${paymentBalances.createdAt} <= ${to}`,
    isOpenAmong(later),
  );
  const page = await listPage(query, {
    ...BALANCES,
    read: (scan) =>
      databaseOf(env)
        .select({
          ...getTableColumns(paymentBalances),
          lastUpdatedAt: confirmedAt("payment_balances"),
        })
        .from(paymentBalances)
        .where(isSelected(paymentBalances.key, { ...scan, where: and(narrowed, scan.where) }))
        .orderBy(...scan.orderBy),
  });
  return mapPage(page, (row) => {
    const { key, asset, amount, createdAt, lastUpdatedAt, psuId, connectionId } = row;
    return given({
      key,
      account,
      asset,
      amount: BigInt(amount),
      createdAt,
      lastUpdatedAt,
      psuId,
      connectionId,
    });
  });
}

/** The keys of open balances that were confirmed at a time or later. Each asset has one open balance. */
const confirmedSince = (condition: SQL | undefined, from: string): SQL => sql`
  SELECT ${paymentBalances.key} FROM ${paymentBalances}
  WHERE ${condition} AND ${paymentBalances.isOpen} = 1 AND ${confirmedAt("payment_balances")} >= ${from}`;

/**
 * The condition that an open balance meets a condition. No balance of an asset was confirmed later than its open one, so if
 * no open balance meets the condition, no other balance need be read.
 */
const isOpenAmong = (condition: SQL | undefined): SQL => sql`EXISTS (
  SELECT 1 FROM ${paymentBalances} WHERE ${condition} AND ${paymentBalances.isOpen} = 1)`;
