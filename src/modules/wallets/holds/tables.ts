import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Timestamp } from "#platform/time.ts";

/**
 * When to look at holds that expire. A row is stored before its hold is created, so that no hold is forgotten. The hold itself is in the
 * ledger, with its date of expiry.
 */
export const walletHoldExpiries = sqliteTable(
  "wallet_hold_expiries",
  {
    ledger: text("ledger").notNull(),
    holdId: text("hold_id").notNull(),
    dueAt: text("due_at").$type<Timestamp>().notNull(),
    /** When a request last began to create the hold. */
    askedAt: text("asked_at").$type<Timestamp>().notNull(),
    /** The number of failed attempts since the last success. */
    attempts: integer("attempts").notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.ledger, table.holdId] }),
    index("wallet_hold_expiries_due").on(table.dueAt),
    index("wallet_hold_expiries_failing")
      .on(table.askedAt)
      .where(sql`attempts > 0`),
  ],
);
