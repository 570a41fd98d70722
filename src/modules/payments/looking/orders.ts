import { and, eq, sql } from "drizzle-orm";
import { given } from "#modules/payments/core/given.ts";
import type { Initiation } from "#modules/payments/initiations/initiation.ts";
import { markOf, type MovementRow } from "#modules/payments/initiations/movement-rows.ts";
import { findReversalByKey, type StoredReversal } from "#modules/payments/initiations/reversals.ts";
import { findInitiationByKey } from "#modules/payments/initiations/store.ts";
import { paymentMovements } from "#modules/payments/initiations/tables.ts";
import type { Lookup } from "#modules/payments/lookups/lookup-rows.ts";
import { paymentShownMarks } from "#modules/payments/lookups/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { fromMillis, toMillis } from "#platform/time.ts";

/** An order that is not final: an initiation, or the reversal of one. */
export interface OpenOrder {
  readonly initiation: Initiation;
  /** What is on its way; absent for an initiation that waits for its approval or has failed. */
  readonly movement?: MovementRow;
  /** The reversal that the movement makes. */
  readonly reversal?: StoredReversal;
  /** The reference of the initiation or the reversal, as the provider shows it. */
  readonly mark: string;
}

/** Most orders that one statement reads. */
const ORDERS_MAX = 200;
/** How long before the arming an initiation may have failed that is looked up, in milliseconds. */
const FAILED_MS = 30 * 86_400_000;

/**
 * The keys of initiations that a look-up has still to look at, in their order: all with a movement, and those that wait for an approval
 * since before the arming, or have failed in the last `FAILED_MS` before it: the original may have tried them again.
 */
export async function nextOrders(
  { env }: Pick<ServiceContext, "env">,
  { connectorKey, position, beganAt }: Lookup,
): Promise<number[]> {
  const failedSince = fromMillis(toMillis(beganAt) - FAILED_MS);
  const rows = await databaseOf(env).all<{ key: number }>(sql`
    SELECT key FROM (
      SELECT initiation_key AS key FROM payment_movements
      WHERE connector_key = ${connectorKey} AND initiation_key > ${position}
      UNION
      SELECT key FROM payment_initiations
      WHERE connector_key = ${connectorKey} AND key > ${position} AND (
        (status = 'WAITING_FOR_VALIDATION' AND created_at <= ${beganAt})
        OR (status = 'FAILED' AND adjusted_at <= ${beganAt} AND adjusted_at >= ${failedSince})))
    ORDER BY key LIMIT ${ORDERS_MAX}`);
  return rows.map(({ key }) => key);
}

/** The order of an initiation; undefined if the initiation does not exist any more. */
export async function readOrder(
  context: Pick<ServiceContext, "env">,
  initiationKey: number,
): Promise<OpenOrder | undefined> {
  const initiation = await findInitiationByKey(context, initiationKey);
  if (initiation === undefined) return undefined;
  const [movement] = await databaseOf(context.env)
    .select()
    .from(paymentMovements)
    .where(eq(paymentMovements.initiationKey, initiationKey));
  const reversalKey = movement?.reversalKey ?? undefined;
  const reversal =
    reversalKey === undefined ? undefined : await findReversalByKey(context, reversalKey);
  const mark = movement?.mark ?? markOf(initiation.id.connector, initiation.id.reference);
  return { initiation, mark, ...given({ movement, reversal }) };
}

/** The payment that the provider has shown with the reference of an order, as JSON of a `Shown`. */
export async function shownMark(
  { env }: Pick<ServiceContext, "env">,
  { key }: { readonly key: number },
  { mark }: Pick<OpenOrder, "mark">,
): Promise<string | undefined> {
  const [row] = await databaseOf(env)
    .select({ shown: paymentShownMarks.shown })
    .from(paymentShownMarks)
    .where(and(eq(paymentShownMarks.connectorKey, key), eq(paymentShownMarks.mark, mark)));
  return row?.shown;
}
