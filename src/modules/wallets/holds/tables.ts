import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Timestamp } from "#platform/time.ts";

/**
 * When to look at holds that expire. The row is there before the hold, so that none is forgotten; the hold itself is in the ledger, and
 * says when it expires.
 */
export const walletHoldExpiries = sqliteTable(
  "wallet_hold_expiries",
  {
    ledger: text("ledger").notNull(),
    holdId: text("hold_id").notNull(),
    dueAt: text("due_at").$type<Timestamp>().notNull(),
    /** When the hold was last about to be made. */
    askedAt: text("asked_at").$type<Timestamp>().notNull(),
    /** How often looking at it has failed. */
    attempts: integer("attempts").notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.ledger, table.holdId] }),
    index("wallet_hold_expiries_due").on(table.dueAt),
  ],
);
