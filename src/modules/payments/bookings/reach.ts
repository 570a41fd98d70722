import { and, not, type SQL } from "drizzle-orm";
import { paymentBookings } from "./tables.ts";
import { outOfReach } from "#platform/access/ledger-patterns.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { whereLedgerAllowed } from "#platform/db/ledger-scope.ts";
import { allows } from "#platform/http/authenticator.ts";

/**
 * Throws `UNAUTHENTICATED` if one of certain bookings is in a ledger that the principal may not use, or if there is one and
 * the principal may not write ledgers. Called before the booked connector or pool is changed or deleted, because this
 * changes or ends the booking.
 */
export async function assertReachesBookings(
  { env, principal }: Pick<ServiceContext, "env" | "principal">,
  which: SQL,
): Promise<void> {
  const mayWrite = allows(principal.scopes, LEDGER_WRITE);
  const isAllowed = whereLedgerAllowed(paymentBookings.ledger, principal.ledgers);
  if (mayWrite && isAllowed === undefined) return;
  const isBeyond = mayWrite && isAllowed !== undefined ? not(isAllowed) : undefined;
  if ((await databaseOf(env).$count(paymentBookings, and(which, isBeyond))) === 0) return;
  if (mayWrite) throw outOfReach("this is booked in a ledger that the token does not allow");
  throw outOfReach(`this is booked in a ledger, so that the token needs ${LEDGER_WRITE}, too`);
}

const LEDGER_WRITE = "ledger:write";
