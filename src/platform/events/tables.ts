import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Timestamp } from "#platform/time.ts";

/**
 * Unconfirmed events. The batch of the change stores a row, and its confirmation deletes the row when all effects of the event are stored.
 */
export const outbox = sqliteTable(
  "outbox",
  {
    /** The order in which the events were stored. */
    sequence: integer("sequence").primaryKey({ autoIncrement: true }),
    id: text("id").notNull().unique(),
    /** Events of one key are read in the order in which they were stored. */
    orderKey: text("order_key"),
    /** JSON of the whole event. */
    event: text("event").notNull(),
    /** The number of repeated announcements. */
    attempts: integer("attempts").notNull(),
    /** The time of the next announcement, unless the event is confirmed earlier. */
    announceAt: text("announce_at").$type<Timestamp>().notNull(),
  },
  (table) => [
    index("outbox_due").on(table.announceAt, table.sequence),
    index("outbox_ordered")
      .on(table.orderKey, table.sequence)
      .where(sql`order_key IS NOT NULL`),
  ],
);
