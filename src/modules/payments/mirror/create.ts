import { sql } from "drizzle-orm";
import { variablesProblem } from "./variables.ts";
import { LedgerClient } from "#modules/ledger/index.ts";
import {
  type Booking,
  BOOKINGS_MAX,
  type BookingRules,
} from "#modules/payments/bookings/booking.ts";
import { EMPTY_PROGRESS, toBooking, toRuleColumns } from "#modules/payments/bookings/store.ts";
import { paymentBookings } from "#modules/payments/bookings/tables.ts";
import { BOOKINGS_SWEEP } from "#modules/payments/common/sweep-names.ts";
import type { ConnectorId } from "#modules/payments/core/ids.ts";
import { installedKey } from "#modules/payments/installs/installed.ts";
import { requireConnector } from "#modules/payments/installs/store.ts";
import { getPool } from "#modules/payments/pools/store.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import { armClock } from "#platform/objects/deployment-clock.ts";
import { toMillis } from "#platform/time.ts";

/** The connector or the pool whose payments are to be booked. */
export type WantedScope = { readonly connector: ConnectorId } | { readonly poolId: string };

/**
 * Binds a connector or a pool to a ledger: all its payments, from the first one on, are booked there. Throws `VALIDATION`
 * for rules that do not fit, `LEDGER_NOT_FOUND`, `NOT_FOUND` for a pool, a schema or a template, and `ALREADY_EXISTS`.
 */
export async function createBooking(
  context: ServiceContext,
  { scope, rules }: { readonly scope: WantedScope; readonly rules: BookingRules },
): Promise<Booking> {
  const { isThere, ...columns } = await scopeColumns(context, scope);
  await assertRules(context, rules);
  const db = databaseOf(context.env);
  // Two requests at once may exceed the limit by one, which does no harm.
  if ((await db.$count(paymentBookings)) >= BOOKINGS_MAX) {
    throw new AppError("VALIDATION", `there are ${BOOKINGS_MAX} bookings, and no more are allowed`);
  }
  const id = newId();
  const now = context.clock();
  const values = {
    // The id is null, and the insertion fails, if the connector or pool has been deleted since it was read.
    id: sql<string>`CASE WHEN ${isThere} THEN ${id} END`,
    ...columns,
    ...toRuleColumns(rules),
    ...EMPTY_PROGRESS,
    state: "RUNNING" as const,
    run: 1,
    createdAt: now,
    updatedAt: now,
  };
  const change = new AuditedChange(context, {
    action: "payments.booking.create",
    object: `bookings/${id}`,
  });
  const insertion = db.insert(paymentBookings).values(values).onConflictDoNothing().returning();
  const [row] = await change.store(insertion).catch(async (error: unknown) => {
    await scopeColumns(context, scope);
    throw error;
  });
  if (row === undefined) {
    throw new AppError(
      "ALREADY_EXISTS",
      `these payments are already booked in the ledger '${rules.ledger}'`,
    );
  }
  await armClock(context.env, BOOKINGS_SWEEP, toMillis(now));
  return toBooking(row);
}

/**
 * The columns of a scope, and the condition that it exists. Throws the errors of `createBooking` for a scope that does not
 * exist.
 */
async function scopeColumns(context: ServiceContext, scope: WantedScope) {
  if ("poolId" in scope) {
    await getPool(context, scope.poolId);
    const { poolId } = scope;
    const isThere = sql`EXISTS (SELECT 1 FROM payment_pools WHERE id = ${poolId})`;
    return { connectorKey: null, poolId, isThere };
  }
  const { key } = await requireConnector(context, scope.connector);
  return { connectorKey: key, poolId: null, isThere: sql`${installedKey({ key })} IS NOT NULL` };
}

/**
 * Throws `VALIDATION` for a template with variables that bookings do not provide, and the ledger's errors for an unknown
 * ledger, schema or template.
 */
export async function assertRules(
  context: ServiceContext,
  { ledger, schemaVersion, template, templates }: BookingRules,
): Promise<void> {
  const client = new LedgerClient(context, ledger);
  for (const name of new Set([template, ...Object.values(templates)])) {
    const { variables } = await client.template(name, schemaVersion);
    const problem = variablesProblem(variables);
    if (problem !== undefined) {
      throw new AppError("VALIDATION", `the template '${name}' does not fit: ${problem}`);
    }
  }
}
