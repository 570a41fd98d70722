import { and, eq } from "drizzle-orm";
import type { Booking, BookingFailure } from "./booking.ts";
import { toBooking, toFailure } from "./store.ts";
import { paymentBookingFailures, paymentBookings } from "./tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { whereLedgerAllowed } from "#platform/db/ledger-scope.ts";
import { type ListTable, listPage } from "#platform/db/list.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import { toMicros } from "#platform/time.ts";

const BOOKINGS: ListTable<Booking> = {
  keys: {
    id: { type: "text", column: paymentBookings.id },
    ledger: { type: "text", column: paymentBookings.ledger },
    state: { type: "text", column: paymentBookings.state },
  },
  sort: {
    created_at: {
      type: "date",
      column: paymentBookings.createdAt,
      tie: paymentBookings.key,
      keyOf: ({ createdAt, key }) => ({ value: toMicros(createdAt), tie: BigInt(key) }),
    },
  },
};

/** A page of bookings in ledgers that the principal may use, newest first. Throws `VALIDATION` for a bad filter. */
export function listBookings(
  { env, principal }: Pick<ServiceContext, "env" | "principal">,
  query: PageQuery,
): Promise<Page<Booking>> {
  const db = databaseOf(env);
  return listPage(query, {
    ...BOOKINGS,
    read: async ({ where, orderBy, limit, offset }) => {
      const rows = await db
        .select()
        .from(paymentBookings)
        .where(and(whereLedgerAllowed(paymentBookings.ledger, principal.ledgers), where))
        .orderBy(...orderBy)
        .limit(limit)
        .offset(offset);
      return rows.map(toBooking);
    },
  });
}

const FAILURES: ListTable<BookingFailure> = {
  sort: {
    id: {
      type: "integer",
      column: paymentBookingFailures.adjustmentKey,
      keyOf: ({ adjustmentKey }) => ({ value: BigInt(adjustmentKey) }),
    },
  },
};

/** A page of adjustments that the ledger has refused, in the order in which they were stored. */
export function listBookingFailures(
  { env }: Pick<ServiceContext, "env">,
  { key }: Booking,
  query: PageQuery,
): Promise<Page<BookingFailure>> {
  const db = databaseOf(env);
  return listPage(query, {
    ...FAILURES,
    read: async ({ where, orderBy, limit, offset }) => {
      const rows = await db
        .select()
        .from(paymentBookingFailures)
        .where(and(eq(paymentBookingFailures.bookingKey, key), where))
        .orderBy(...orderBy)
        .limit(limit)
        .offset(offset);
      return rows.map(toFailure);
    },
  });
}
