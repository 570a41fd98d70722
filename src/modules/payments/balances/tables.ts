import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { Timestamp } from "#platform/time.ts";

/**
 * The balances of accounts over time. Each row says that an account held an amount of an asset during an interval. Each
 * account and asset has one open row, the newest one, which the next report prolongs or closes.
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
     * For a closed row, the time at which another amount replaced it. For the open row, a time at which the amount was
     * reported; later confirmations are in `payment_balance_confirmations`.
     */
    lastUpdatedAt: text("last_updated_at").$type<Timestamp>().notNull(),
    isOpen: integer("is_open", { mode: "boolean" }).notNull(),
    psuId: text("psu_id"),
    connectionId: text("connection_id"),
  },
  (table) => [
    // Of two reports that close the same row, the second fails and is decided again.
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

/** The last confirmations of open balances. A row holds those of 64 keys; see `confirmations.ts`. */
export const paymentBalanceConfirmations = sqliteTable("payment_balance_confirmations", {
  segment: integer("segment").primaryKey(),
  /** JSON of an object: times by `b` followed by the key of the balance. Times of closed balances have no meaning. */
  times: text("times").notNull(),
});
