import type { BankAccount } from "./bank-account.ts";
import { LISTED_COLUMNS, withRelated } from "./store.ts";
import { paymentBankAccounts } from "./tables.ts";
import { metadataKey, uuidKey } from "#modules/payments/installs/filters.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { isSelected, type ListTable, listPage } from "#platform/db/list.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import { toMicros } from "#platform/time.ts";

const BANK_ACCOUNTS: ListTable<BankAccount> = {
  keys: {
    id: uuidKey(paymentBankAccounts.id),
    name: { type: "text", column: paymentBankAccounts.name },
    country: { type: "text", column: paymentBankAccounts.country, nullable: true },
    psu_id: { type: "text", column: paymentBankAccounts.psuId, nullable: true },
    metadata: metadataKey(paymentBankAccounts),
  },
  sort: {
    created_at: {
      type: "date",
      column: paymentBankAccounts.createdAt,
      tie: paymentBankAccounts.key,
      keyOf: ({ createdAt, key }) => ({ value: toMicros(createdAt), tie: BigInt(key) }),
    },
  },
};

/** A page of bank accounts without their numbers. Throws `VALIDATION` for a bad filter. */
export function listBankAccounts(
  { env }: Pick<ServiceContext, "env">,
  query: PageQuery,
): Promise<Page<BankAccount>> {
  const db = databaseOf(env);
  return listPage(query, {
    ...BANK_ACCOUNTS,
    read: async (scan) => {
      const rows = await db
        .select(LISTED_COLUMNS)
        .from(paymentBankAccounts)
        .where(isSelected(paymentBankAccounts.key, scan))
        .orderBy(...scan.orderBy);
      return withRelated(db, rows);
    },
  });
}
