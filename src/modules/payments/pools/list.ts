import { sql } from "drizzle-orm";
import type { Pool } from "./pool.ts";
import { toPools } from "./store.ts";
import { paymentPoolAccounts, paymentPools } from "./tables.ts";
import { decodeOwnedId } from "#modules/payments/core/ids.ts";
import { connectorKeySql, uuidKey } from "#modules/payments/installs/filters.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { type ListTable, listPage } from "#platform/db/list.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import { toMicros } from "#platform/time.ts";

const POOLS: ListTable<Pool> = {
  keys: {
    id: uuidKey(paymentPools.id),
    name: { type: "text", column: paymentPools.name },
    account_id: {
      type: "custom",
      matches: (text) => {
        const id = decodeOwnedId(text);
        return id === undefined
          ? sql`FALSE`
          : sql`${paymentPools.key} IN (
              SELECT m.pool_key FROM ${paymentPoolAccounts} AS m
              WHERE m.connector_key = ${connectorKeySql(id.connector)}
                AND m.account_reference = ${id.reference})`;
      },
    },
  },
  sort: {
    created_at: {
      type: "date",
      column: paymentPools.createdAt,
      tie: paymentPools.key,
      keyOf: ({ createdAt, key }) => ({ value: toMicros(createdAt), tie: BigInt(key) }),
    },
  },
};

/** A page of pools. Throws `VALIDATION` for a bad filter. */
export function listPools(
  { env }: Pick<ServiceContext, "env">,
  query: PageQuery,
): Promise<Page<Pool>> {
  const db = databaseOf(env);
  return listPage(query, {
    ...POOLS,
    read: async ({ where, orderBy, limit, offset }) => {
      const rows = await db
        .select()
        .from(paymentPools)
        .where(where)
        .orderBy(...orderBy)
        .limit(limit)
        .offset(offset);
      return toPools(db, rows);
    },
  });
}
