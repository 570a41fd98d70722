import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { PoolType } from "#modules/payments/core/enums.ts";
import type { Timestamp } from "#platform/time.ts";

/** Pools of accounts. */
export const paymentPools = sqliteTable(
  "payment_pools",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    id: text("id").notNull().unique(),
    name: text("name").notNull().unique(),
    type: text("type").$type<PoolType>().notNull(),
    /** Of a dynamic pool: the filter of its accounts, as JSON. */
    query: text("query"),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    /** Another one after each change, so that two changes at a time notice each other. */
    changeId: text("change_id").notNull(),
  },
  (table) => [index("payment_pools_listed").on(table.createdAt, table.key, table.name)],
);

/** The accounts of static pools. */
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
