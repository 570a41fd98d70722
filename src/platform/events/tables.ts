import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Timestamp } from "#platform/time.ts";

/** Events that are stored with the change that they tell of. A row goes when whatever follows from it is stored. */
export const outbox = sqliteTable(
  "outbox",
  {
    /** The order in which the events were stored. */
    sequence: integer("sequence").primaryKey({ autoIncrement: true }),
    /** The id of the event. */
    id: text("id").notNull().unique(),
    /** Events of one key are read in the order in which they were stored. */
    orderKey: text("order_key"),
    /** JSON of the whole event. */
    event: text("event").notNull(),
    /** How often the event was announced after the first time. */
    attempts: integer("attempts").notNull(),
    /** When it is announced again, unless it is confirmed before. */
    announceAt: text("announce_at").$type<Timestamp>().notNull(),
  },
  (table) => [
    index("outbox_due").on(table.announceAt, table.sequence),
    index("outbox_ordered")
      .on(table.orderKey, table.sequence)
      .where(sql`order_key IS NOT NULL`),
  ],
);
