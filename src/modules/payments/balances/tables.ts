import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { Timestamp } from "#platform/time.ts";

/**
 * The balances of accounts over time: each row says which amount of an asset an account held from one moment to another. Of
 * each account and asset, one row is open: the newest one, which the next report prolongs or closes.
 */
export const paymentBalances = sqliteTable(
  "payment_balances",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    connectorKey: integer("connector_key").notNull(),
    accountReference: text("account_reference").notNull(),
    asset: text("asset").notNull(),
    /** Decimal digits. */
    amount: text("amount").notNull(),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    /**
     * Of a closed row, when another amount took its place. Of the open one, when the amount came or was last confirmed before its
     * confirmations went elsewhere: `confirmations.ts` has the later ones.
     */
    lastUpdatedAt: text("last_updated_at").$type<Timestamp>().notNull(),
    isOpen: integer("is_open", { mode: "boolean" }).notNull(),
    psuId: text("psu_id"),
    connectionId: text("connection_id"),
  },
  (table) => [
    // Of two reports that both close one row, the second cannot be stored: it is decided again.
    uniqueIndex("payment_balances_open")
      .on(table.connectorKey, table.accountReference, table.asset)
      .where(sql`is_open = 1`),
    index("payment_balances_listed").on(
      table.connectorKey,
      table.accountReference,
      table.createdAt,
      table.key,
      table.asset,
      table.lastUpdatedAt,
    ),
  ],
);

/** When open balances were last confirmed: a row for those whose keys, divided, are the segment. */
export const paymentBalanceConfirmations = sqliteTable("payment_balance_confirmations", {
  segment: integer("segment").primaryKey(),
  /** JSON object: the times by `b` and the key of the balance. Those of closed balances mean nothing. */
  times: text("times").notNull(),
});
