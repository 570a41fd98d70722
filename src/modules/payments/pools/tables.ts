import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { PoolType } from "#modules/payments/core/enums.ts";
import type { Timestamp } from "#platform/time.ts";

export const paymentPools = sqliteTable(
  "payment_pools",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    id: text("id").notNull().unique(),
    name: text("name").notNull().unique(),
    type: text("type").$type<PoolType>().notNull(),
    /** JSON of the filter of a dynamic pool's accounts; null for a static pool. */
    query: text("query"),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    /** A new id after each change. A change is refused if the id is not the one that was read. */
    changeId: text("change_id").notNull(),
  },
  (table) => [index("payment_pools_listed").on(table.createdAt, table.key, table.name)],
);

/** Members of static pools. */
export const paymentPoolAccounts = sqliteTable(
  "payment_pool_accounts",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    poolKey: integer("pool_key").notNull(),
    connectorKey: integer("connector_key").notNull(),
    accountReference: text("account_reference").notNull(),
  },
  (table) => [
    uniqueIndex("payment_pool_accounts_identity").on(
      table.poolKey,
      table.connectorKey,
      table.accountReference,
    ),
    index("payment_pool_accounts_account").on(table.connectorKey, table.accountReference),
  ],
);
