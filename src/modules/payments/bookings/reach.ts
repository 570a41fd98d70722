import { and, not, type SQL } from "drizzle-orm";
import { paymentBookings } from "./tables.ts";
import { outOfReach } from "#platform/access/ledger-patterns.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { whereLedgerAllowed } from "#platform/db/ledger-scope.ts";

/**
 * Throws `UNAUTHENTICATED` where one of some bookings is in a ledger that the principal may not touch. It is asked before what is
 * booked there is changed or deleted, because that changes or ends the booking.
 */
export async function assertReachesBookings(
  { env, principal }: Pick<ServiceContext, "env" | "principal">,
  which: SQL,
): Promise<void> {
  const isAllowed = whereLedgerAllowed(paymentBookings.ledger, principal.ledgers);
  if (isAllowed === undefined) return;
  const beyond = await databaseOf(env).$count(paymentBookings, and(which, not(isAllowed)));
  if (beyond === 0) return;
  throw outOfReach("this is booked in a ledger that the token does not allow");
}
