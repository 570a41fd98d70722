import { and, asc, eq, gt, inArray, isNull, lte, or, type SQL, sql } from "drizzle-orm";
import type { Booking, BookingFailure, BookingRules, BookingScope } from "./booking.ts";
import { paymentBookingFailures, paymentBookings } from "./tables.ts";
import type { PaymentStatus } from "#modules/payments/core/enums.ts";
import type { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { columnValues } from "#platform/db/json-rows.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";

type BookingRow = typeof paymentBookings.$inferSelect;
type FailureRow = typeof paymentBookingFailures.$inferSelect;

export const toRuleColumns = ({ ledger, schemaVersion, template, templates }: BookingRules) => ({
  ledger,
  schemaVersion,
  template,
  templates: stringifyJson(templates),
});

/** The columns of a booking that has booked nothing and begins at the first adjustment. */
export const EMPTY_PROGRESS = {
  position: 0,
  booked: 0,
  failed: 0,
  attempts: 0,
  error: null,
  waitUntil: null,
  lastBookedAt: null,
} as const;

export async function findBooking(
  { env }: Pick<ServiceContext, "env">,
  id: string,
): Promise<Booking | undefined> {
  const [row] = await databaseOf(env)
    .select()
    .from(paymentBookings)
    .where(eq(paymentBookings.id, id));
  return row === undefined ? undefined : toBooking(row);
}

export const bookingDeletions = (db: Database, which: SQL) =>
  [deleteFailures(db, which), db.delete(paymentBookings).where(which)] as const;

/** The statement that deletes the failures of bookings. */
export const deleteFailures = (db: Database, which: SQL) =>
  db
    .delete(paymentBookingFailures)
    .where(
      inArray(
        paymentBookingFailures.bookingKey,
        db.select({ key: paymentBookings.key }).from(paymentBookings).where(which),
      ),
    );

/** Changes a booking. Returns it after the change; undefined if it does not exist. */
export async function changeBooking(
  { env }: Pick<ServiceContext, "env">,
  id: string,
  { set, audit }: { readonly set: Partial<BookingRow>; readonly audit: AuditedChange },
): Promise<Booking | undefined> {
  const [row] = await audit.store(
    databaseOf(env).update(paymentBookings).set(set).where(eq(paymentBookings.id, id)).returning(),
  );
  return row === undefined ? undefined : toBooking(row);
}

/** All running bookings that are neither claimed nor waiting. A booking without new adjustments is among them, so that a limit would keep later bookings out. */
export async function listDue(db: Database, now: Timestamp): Promise<Booking[]> {
  const rows = await db
    .select()
    .from(paymentBookings)
    .where(
      and(
        eq(paymentBookings.state, "RUNNING"),
        or(isNull(paymentBookings.waitUntil), lte(paymentBookings.waitUntil, now)),
      ),
    )
    .orderBy(asc(paymentBookings.key));
  return rows.map(toBooking);
}

/** The earliest time after `now` at which a claim or wait ends; undefined for none. */
export async function nextDue(db: Database, now: Timestamp): Promise<Timestamp | undefined> {
  const [row] = await db
    .select({ due: sql<Timestamp | null>`min(${paymentBookings.waitUntil})` })
    .from(paymentBookings)
    .where(and(eq(paymentBookings.state, "RUNNING"), gt(paymentBookings.waitUntil, now)));
  return row?.due ?? undefined;
}

export async function hasRunning(db: Database): Promise<boolean> {
  const rows = await db
    .select({ key: paymentBookings.key })
    .from(paymentBookings)
    .where(eq(paymentBookings.state, "RUNNING"))
    .limit(1);
  return rows.length > 0;
}

/** Claims a booking until a time, unless it is claimed already or has changed. Returns whether it is claimed. */
export async function claimBooking(
  db: Database,
  { key, run, position, waitUntil }: Booking,
  until: Timestamp,
): Promise<boolean> {
  const claimed = await db
    .update(paymentBookings)
    .set({ waitUntil: until })
    .where(
      and(
        isSame({ key, run, position }),
        eq(paymentBookings.state, "RUNNING"),
        waitUntil === undefined
          ? isNull(paymentBookings.waitUntil)
          : eq(paymentBookings.waitUntil, waitUntil),
      ),
    )
    .returning({ key: paymentBookings.key });
  return claimed.length > 0;
}

/** The progress of a claimed booking. */
export interface BookingProgress {
  readonly position: number;
  readonly booked: number;
  readonly failures: readonly BookingFailure[];
  /** The end of its claim or wait; undefined for neither. */
  readonly waitUntil: Timestamp | undefined;
  readonly now: Timestamp;
}

/** Stores progress, unless the booking was changed meanwhile. Returns whether it was stored. */
export async function storeProgress(
  db: Database,
  { key, run, position }: Booking,
  done: BookingProgress,
): Promise<boolean> {
  const { booked, failures, waitUntil, now } = done;
  const update = db
    .update(paymentBookings)
    .set({
      position: done.position,
      booked: sql`${paymentBookings.booked} + ${booked}`,
      failed: sql`${paymentBookings.failed} + ${failures.length}`,
      attempts: 0,
      error: null,
      waitUntil: waitUntil ?? null,
      ...(booked === 0 ? {} : { lastBookedAt: now }),
    })
    .where(isSame({ key, run, position }))
    .returning({ key: paymentBookings.key });
  const [updated] = await db.batch([
    update,
    ...failures.map((failure) => insertFailure(db, failure, { key, run, position: done.position })),
  ]);
  return updated.length > 0;
}

/** Stores a failure if its booking is in the given run and at the given position. */
const insertFailure = (
  db: Database,
  failure: BookingFailure,
  booking: Pick<Booking, "key" | "run" | "position">,
) =>
  db
    .insert(paymentBookingFailures)
    .select(
      sql`
        SELECT ${columnValues(paymentBookingFailures, {
          bookingKey: booking.key,
          adjustmentKey: failure.adjustmentKey,
          adjustmentId: failure.adjustmentId,
          paymentId: failure.paymentId,
          message: failure.message,
          details: failure.details ?? null,
          createdAt: failure.createdAt,
        })}
        FROM ${paymentBookings} WHERE ${isSame(booking)}`,
    )
    .onConflictDoNothing();

/** Stores the end and the reason of a booking's wait. */
export async function storeWait(
  db: Database,
  { key, run, position }: Booking,
  { error, attempts, until }: { error: string; attempts: number; until: Timestamp },
): Promise<void> {
  await db
    .update(paymentBookings)
    .set({ error, attempts, waitUntil: until })
    .where(isSame({ key, run, position }));
}

/** The condition that a booking is in the run and at the position that were read. */
const isSame = ({ key, run, position }: Pick<Booking, "key" | "run" | "position">) =>
  and(
    eq(paymentBookings.key, key),
    eq(paymentBookings.run, run),
    eq(paymentBookings.position, position),
  );

/** Turns a row into a booking. The column `templates` holds JSON of `toRuleColumns`. */
export const toBooking = (row: BookingRow): Booking => ({
  key: row.key,
  id: row.id,
  scope: toScope(row),
  rules: {
    ledger: row.ledger,
    schemaVersion: row.schemaVersion,
    template: row.template,
    templates: parseJson(row.templates) as Readonly<Partial<Record<PaymentStatus, string>>>,
  },
  state: row.state,
  run: row.run,
  position: row.position,
  booked: row.booked,
  failed: row.failed,
  attempts: row.attempts,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
  ...(row.error === null ? {} : { error: row.error }),
  ...(row.waitUntil === null ? {} : { waitUntil: row.waitUntil }),
  ...(row.lastBookedAt === null ? {} : { lastBookedAt: row.lastBookedAt }),
});

/** The scope of a booking. Exactly one of the two columns is set. */
const toScope = ({ connectorKey, poolId }: BookingRow): BookingScope =>
  connectorKey === null ? { poolId: poolId ?? "" } : { connectorKey };

export const toFailure = ({ details, ...row }: FailureRow): BookingFailure => ({
  adjustmentKey: row.adjustmentKey,
  adjustmentId: row.adjustmentId,
  paymentId: row.paymentId,
  message: row.message,
  createdAt: row.createdAt,
  ...(details === null ? {} : { details }),
});
