import { sql } from "drizzle-orm";
import {
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import type { BookingState } from "./booking.ts";
import type { Timestamp } from "#platform/time.ts";

/** What is mirrored into which ledger. A rebuild begins another run, whose rows have its number. */
export const paymentBookings = sqliteTable(
  "payment_bookings",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    id: text("id").notNull().unique(),
    /** The connector whose payments are booked; null for those of a pool. */
    connectorKey: integer("connector_key"),
    poolId: text("pool_id"),
    ledger: text("ledger").notNull(),
    schemaVersion: text("schema_version").notNull(),
    template: text("template").notNull(),
    /** JSON: other templates, by the status that they are for. */
    templates: text("templates").notNull(),
    state: text("state").$type<BookingState>().notNull(),
    /** Counts the rebuilds, so that a process that still works on an earlier run changes nothing. */
    run: integer("run").notNull(),
    /** The last adjustment that was looked at. */
    position: integer("position").notNull(),
    booked: integer("booked").notNull(),
    failed: integer("failed").notNull(),
    /** Why it waits, where a call has failed that is repeated, and how often it has failed. */
    error: text("error"),
    attempts: integer("attempts").notNull(),
    /** Nobody works on it before this time, because somebody does or a call has failed. */
    waitUntil: text("wait_until").$type<Timestamp>(),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    updatedAt: text("updated_at").$type<Timestamp>().notNull(),
    lastBookedAt: text("last_booked_at").$type<Timestamp>(),
  },
  (table) => [
    index("payment_bookings_listed").on(table.createdAt, table.key),
    uniqueIndex("payment_bookings_connector")
      .on(table.connectorKey, table.ledger)
      .where(sql`connector_key IS NOT NULL`),
    uniqueIndex("payment_bookings_pool")
      .on(table.poolId, table.ledger)
      .where(sql`pool_id IS NOT NULL`),
  ],
);

/** Adjustments that the ledger has refused, with what it said. */
export const paymentBookingFailures = sqliteTable(
  "payment_booking_failures",
  {
    bookingKey: integer("booking_key").notNull(),
    adjustmentKey: integer("adjustment_key").notNull(),
    /** The ids of the adjustment and of its payment. */
    adjustmentId: text("adjustment_id").notNull(),
    paymentId: text("payment_id").notNull(),
    message: text("message").notNull(),
    /** The positions of a script's errors. */
    details: text("details"),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.bookingKey, table.adjustmentKey] })],
);
