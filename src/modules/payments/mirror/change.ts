import { eq, sql } from "drizzle-orm";
import { assertRules } from "./create.ts";
import { LedgerClient } from "#modules/ledger/index.ts";
import type { Booking, BookingRules, BookingState } from "#modules/payments/bookings/booking.ts";
import {
  bookingDeletions,
  changeBooking,
  deleteFailures,
  findBooking,
  EMPTY_PROGRESS,
  toRuleColumns,
} from "#modules/payments/bookings/store.ts";
import { paymentBookings } from "#modules/payments/bookings/tables.ts";
import { BOOKINGS_SWEEP } from "#modules/payments/common/sweep-names.ts";
import { allowsLedger } from "#platform/access/ledger-patterns.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { armClock } from "#platform/objects/deployment-clock.ts";
import { toMillis } from "#platform/time.ts";

/** The booking with an id. Throws `NOT_FOUND`, also for a booking in a ledger that the principal may not use. */
export async function getBooking(context: ServiceContext, id: string): Promise<Booking> {
  const booking = await findBooking(context, id);
  const isAllowed =
    booking !== undefined && allowsLedger(context.principal.ledgers, booking.rules.ledger);
  return isAllowed ? booking : noBooking(id);
}

/** Pauses or resumes a booking. A part that is being booked is still completed. Throws `NOT_FOUND`. */
export async function setBookingState(
  context: ServiceContext,
  { id, state }: { readonly id: string; readonly state: BookingState },
): Promise<Booking> {
  await getBooking(context, id);
  const now = context.clock();
  const verb = state === "PAUSED" ? "pause" : "resume";
  const booking = await changeBooking(context, id, {
    set: { state, updatedAt: now, ...(state === "PAUSED" ? {} : { waitUntil: null, attempts: 0 }) },
    audit: auditOf(context, { id, verb }),
  });
  if (booking === undefined) noBooking(id);
  await armClock(context.env, BOOKINGS_SWEEP, toMillis(now));
  return booking;
}

/**
 * Begins a booking again in another ledger that has no transactions yet: the same adjustments in the same order make the
 * same transactions there. Rules that are not given stay. Throws `VALIDATION` for a ledger that is not empty, and the
 * errors of `createBooking`.
 */
export async function rebuildBooking(
  context: ServiceContext,
  {
    id,
    rules: given,
  }: { readonly id: string; readonly rules: Partial<BookingRules> & Pick<BookingRules, "ledger"> },
): Promise<Booking> {
  const { rules: former } = await getBooking(context, id);
  const rules = { ...former, ...given };
  await assertRules(context, rules);
  await assertEmpty(context, rules.ledger);
  const now = context.clock();
  const db = databaseOf(context.env);
  const audit = auditOf(context, { id, verb: "rebuild" });
  const update = db
    .update(paymentBookings)
    .set({
      ...toRuleColumns(rules),
      ...EMPTY_PROGRESS,
      state: "RUNNING",
      run: sql`${paymentBookings.run} + 1`,
      updatedAt: now,
    })
    .where(eq(paymentBookings.id, id))
    .returning();
  try {
    await audit.store(update, deleteFailures(db, eq(paymentBookings.id, id)));
  } catch (error) {
    if (!isTaken(error)) throw error;
    throw new AppError(
      "ALREADY_EXISTS",
      `these payments are already booked in the ledger '${rules.ledger}'`,
      { cause: error },
    );
  }
  await armClock(context.env, BOOKINGS_SWEEP, toMillis(now));
  return getBooking(context, id);
}

/** Ends a booking. Its transactions stay. Throws `NOT_FOUND`. */
export async function deleteBooking(context: ServiceContext, id: string): Promise<void> {
  await getBooking(context, id);
  const audit = auditOf(context, { id, verb: "delete" });
  const [failures, booking] = bookingDeletions(databaseOf(context.env), eq(paymentBookings.id, id));
  await audit.storeAfter([failures], booking);
}

async function assertEmpty(context: ServiceContext, ledger: string): Promise<void> {
  const { data } = await new LedgerClient(context, ledger).transactions().page({ pageSize: 1 });
  if (data.length === 0) return;
  throw new AppError(
    "VALIDATION",
    `the ledger '${ledger}' has transactions: payments are booked again in one that has none`,
  );
}

const isTaken = (error: unknown): boolean => {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.message.includes("UNIQUE constraint failed: payment_bookings.")) return true;
  }
  return false;
};

const auditOf = (
  context: ServiceContext,
  { id, verb }: { readonly id: string; readonly verb: string },
): AuditedChange =>
  new AuditedChange(context, { action: `payments.booking.${verb}`, object: `bookings/${id}` });

function noBooking(id: string): never {
  throw new AppError("NOT_FOUND", `there is no booking '${id}'`);
}
