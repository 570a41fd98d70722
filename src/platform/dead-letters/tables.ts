import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Timestamp } from "#platform/time.ts";

/**
 * How far a dead letter is: `waiting` for an operator, `retrying` from the operator's request until its queue has taken it, then `retried`.
 * A letter that its queue gives up again waits again.
 */
export type DeadLetterState = "waiting" | "retrying" | "retried";

/** Messages that a queue has given up, one row for each content: the same message may be announced, and given up, many times. */
export const deadLetters = sqliteTable(
  "dead_letters",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    /** The SHA-256 of queue and body, in hexadecimal digits. */
    key: text("key").notNull().unique(),
    /** The queue that has given the message up. */
    queue: text("queue").notNull(),
    /** The ledger that the message names; null if it names none. */
    ledger: text("ledger"),
    /** The message as JSON. */
    body: text("body").notNull(),
    state: text("state").$type<DeadLetterState>().notNull(),
    firstSeen: text("first_seen").$type<Timestamp>().notNull(),
    lastSeen: text("last_seen").$type<Timestamp>().notNull(),
    /** How often the queue has given the message up: arrivals with different ids one after the other. */
    arrivals: integer("arrivals").notNull(),
    /** The platform's id of the last arrival, by which a repeated delivery is recognised; null before the first arrival. */
    messageId: text("message_id"),
    /** Why the consumer has refused the message last, and after how many deliveries; null if it was killed or cut off each time. */
    error: text("error"),
    attempts: integer("attempts"),
    /** How often operators have sent the message again. */
    retries: integer("retries").notNull(),
    /** When a letter that is being retried is sent again, unless its queue has taken it; null in other states. */
    sendAt: text("send_at").$type<Timestamp>(),
    /** When the queue has taken the letter last; null for never. */
    sentAt: text("sent_at").$type<Timestamp>(),
  },
  (table) => [
    index("dead_letter_first_seen").on(table.firstSeen),
    index("dead_letter_last_seen").on(table.lastSeen),
    index("dead_letter_state").on(table.state, table.firstSeen),
    index("dead_letter_due")
      .on(table.sendAt)
      .where(sql`send_at IS NOT NULL`),
  ],
);
