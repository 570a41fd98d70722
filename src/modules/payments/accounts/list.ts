import type { SQLWrapper } from "drizzle-orm";
import { type PaymentAccount, toAccounts } from "./account.ts";
import { ACCOUNT_BLOOM_INDEX } from "./bloom-index.ts";
import { paymentAccounts } from "./tables.ts";
import { ConnectorDirectory } from "#modules/payments/installs/directory.ts";
import { connectorKey, metadataKey, ownedKey } from "#modules/payments/installs/filters.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { COMPARISON, type FilterKeys, type ScalarKey } from "#platform/db/keys.ts";
import { isSelected, type ListTable, listPage } from "#platform/db/list.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import { toMicros } from "#platform/time.ts";

type AccountRow = typeof paymentAccounts.$inferSelect;

const comparable = (column: SQLWrapper): ScalarKey => ({
  type: "text",
  column,
  operators: COMPARISON,
});

/** The keys in filters of accounts, for lists and for dynamic pools. */
export const ACCOUNT_KEYS: FilterKeys = {
  id: ownedKey(paymentAccounts),
  reference: comparable(paymentAccounts.reference),
  connector_id: connectorKey(paymentAccounts.connectorKey),
  type: comparable(paymentAccounts.type),
  default_asset: comparable(paymentAccounts.defaultAsset),
  name: comparable(paymentAccounts.name),
  psu_id: comparable(paymentAccounts.psuId),
  open_banking_connection_id: comparable(paymentAccounts.connectionId),
  metadata: metadataKey(paymentAccounts),
};

const ACCOUNTS: ListTable<AccountRow> = {
  keys: ACCOUNT_KEYS,
  sort: {
    created_at: {
      type: "date",
      column: paymentAccounts.createdAt,
      tie: paymentAccounts.key,
      keyOf: ({ createdAt, key }) => ({ value: toMicros(createdAt), tie: BigInt(key) }),
    },
  },
};

/** A page of accounts, newest first. Throws `VALIDATION` for a bad filter. */
export async function listAccounts(
  context: Pick<ServiceContext, "env">,
  query: PageQuery,
): Promise<Page<PaymentAccount>> {
  const page = await listPage(query, {
    ...ACCOUNTS,
    read: async (all) => {
      const db = databaseOf(context.env);
      const scan = await ACCOUNT_BLOOM_INDEX.narrow(db, query.where, all);
      if (scan === undefined) return [];
      return db
        .select()
        .from(paymentAccounts)
        .where(isSelected(paymentAccounts.key, scan))
        .orderBy(...scan.orderBy);
    },
  });
  return { ...page, data: toAccounts(page.data, await ConnectorDirectory.read(context)) };
}
