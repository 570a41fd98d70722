import { eq } from "drizzle-orm";
import { deletedPoolEvent } from "./event-types.ts";
import { findPool } from "./store.ts";
import { paymentPoolAccounts, paymentPools } from "./tables.ts";
import { assertReachesBookings } from "#modules/payments/bookings/reach.ts";
import { bookingDeletions } from "#modules/payments/bookings/store.ts";
import { paymentBookings } from "#modules/payments/bookings/tables.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { Outbox } from "#platform/events/outbox.ts";

/**
 * Deletes a pool and its bookings, whose transactions stay. Does nothing for an unknown pool. Throws `UNAUTHENTICATED` for
 * a pool that is booked in a ledger that the principal may not use.
 */
export async function deletePool(context: ServiceContext, id: string): Promise<void> {
  const db = databaseOf(context.env);
  const pool = await findPool(context, id);
  if (pool === undefined) return;
  const ofPool = eq(paymentBookings.poolId, id);
  await assertReachesBookings(context, ofPool);
  await Outbox.from(context).publish({
    change: [
      db.delete(paymentPools).where(eq(paymentPools.id, id)),
      db.delete(paymentPoolAccounts).where(eq(paymentPoolAccounts.poolKey, pool.key)),
      ...bookingDeletions(db, ofPool),
    ],
    // If two requests delete a pool at the same time, both publish the same event.
    events: [{ event: deletedPoolEvent(id, context.clock()) }],
    audit: new AuditedChange(context, { action: "payments.pool.delete", object: `pools/${id}` }),
  });
}
