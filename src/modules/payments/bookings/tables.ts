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

/** Bindings of connectors and pools to ledgers. A rebuild of a binding begins another run. */
export const paymentBookings = sqliteTable(
  "payment_bookings",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    id: text("id").notNull().unique(),
    /** The connector whose payments are booked; null for a pool. */
    connectorKey: integer("connector_key"),
    poolId: text("pool_id"),
    ledger: text("ledger").notNull(),
    schemaVersion: text("schema_version").notNull(),
    template: text("template").notNull(),
    /** JSON of the templates for single statuses, by status. */
    templates: text("templates").notNull(),
    state: text("state").$type<BookingState>().notNull(),
    /** Counts the rebuilds, so that a sweep that still works on an earlier run changes nothing. */
    run: integer("run").notNull(),
    /** The key up to which every adjustment is booked, refused, or of other payments. */
    position: integer("position").notNull(),
    booked: integer("booked").notNull(),
    failed: integer("failed").notNull(),
    /** The error of the last call, if the call is to be repeated, and the number of its failures in a row. */
    error: text("error"),
    attempts: integer("attempts").notNull(),
    /** No sweep takes the booking before this time, because one has claimed it or a call has failed. */
    waitUntil: text("wait_until").$type<Timestamp>(),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    updatedAt: text("updated_at").$type<Timestamp>().notNull(),
    lastBookedAt: text("last_booked_at").$type<Timestamp>(),
  },
  (table) => [
    index("payment_bookings_listed").on(table.createdAt, table.key),
    index("payment_bookings_failing")
      .on(table.updatedAt)
      .where(sql`attempts > 0`),
    uniqueIndex("payment_bookings_connector")
      .on(table.connectorKey, table.ledger)
      .where(sql`connector_key IS NOT NULL`),
    uniqueIndex("payment_bookings_pool")
      .on(table.poolId, table.ledger)
      .where(sql`pool_id IS NOT NULL`),
  ],
);

/** Adjustments that the ledger has refused, with its error. */
export const paymentBookingFailures = sqliteTable(
  "payment_booking_failures",
  {
    bookingKey: integer("booking_key").notNull(),
    adjustmentKey: integer("adjustment_key").notNull(),
    /** The ids of the adjustment and of its payment. */
    adjustmentId: text("adjustment_id").notNull(),
    paymentId: text("payment_id").notNull(),
    message: text("message").notNull(),
    /** The positions of errors in a script, or further details; null for none. */
    details: text("details"),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.bookingKey, table.adjustmentKey] })],
);
