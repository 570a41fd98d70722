import { eq, sql } from "drizzle-orm";
import { type OpenOrder, readOrder } from "./orders.ts";
import type { ObjectMetadata } from "#modules/payments/common/metadata.ts";
import type { FoundMovement } from "#modules/payments/connectors/contract.ts";
import {
  type ProviderPayment,
  paymentProblem,
} from "#modules/payments/connectors/provider-objects.ts";
import type { Initiation } from "#modules/payments/initiations/initiation.ts";
import { type MovementRow, UNTIL_DECIDED } from "#modules/payments/initiations/movement-rows.ts";
import { prepareSend } from "#modules/payments/initiations/send.ts";
import { retryOnConflict } from "#modules/payments/initiations/store.ts";
import {
  paymentInitiationPayments,
  paymentMovements,
} from "#modules/payments/initiations/tables.ts";
import { insertReview, settleReviews } from "#modules/payments/lookups/review-rows.ts";
import { completeMovement, isNamedBy } from "#modules/payments/movements/complete.ts";
import { storeFailure, storePayment } from "#modules/payments/movements/outcome.ts";
import { parseShown } from "#modules/payments/payments/ingestion/shown-movements.ts";
import { findPayment } from "#modules/payments/payments/store.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { Outbox } from "#platform/events/outbox.ts";

/**
 * Settles orders of a restored copy by what the original has made of them. Each function is repeated after a crash without harm: the
 * initiation of an order that had no movement here gets one which nobody claims, together with a review, and both end with the outcome.
 *
 *     waits, or has failed ── the provider has made it ──► approved, held, under review ── outcome ──► final, settled
 */

/** Holds an order until a person decides about it, with the reason. */
export async function holdForReview(
  context: ServiceContext,
  { initiation, movement }: OpenOrder,
  reason: string,
): Promise<void> {
  const db = databaseOf(context.env);
  await db.batch([
    insertReview(context, {
      connectorKey: initiation.connectorKey,
      initiationKey: initiation.key,
      reversalKey: movement?.reversalKey ?? null,
      reason,
    }),
    db
      .update(paymentMovements)
      .set({ dueAt: UNTIL_DECIDED })
      .where(eq(paymentMovements.initiationKey, initiation.key)),
  ]);
}

/** Settles an order by a payment that shows its reference. Returns false for a payment that does not certainly fit. */
export async function settleByShown(
  context: ServiceContext,
  order: OpenOrder,
  note: string,
): Promise<boolean> {
  const movement = order.movement ?? (await adoptShown(context, order, note));
  if (movement === "related") return true;
  if (movement === undefined) return false;
  await databaseOf(context.env)
    .update(paymentMovements)
    .set({ shown: note })
    .where(eq(paymentMovements.key, movement.key));
  return completeMovement(context, movement);
}

/** The held movement of an initiation that had none, if the payment fits; "related" if the payment is known to be its own. */
async function adoptShown(
  context: ServiceContext,
  { initiation, mark }: OpenOrder,
  note: string,
): Promise<MovementRow | "related" | undefined> {
  const { type, reference } = parseShown(note);
  const db = databaseOf(context.env);
  const payment = await findPayment(db, { connector: initiation.id.connector, type, reference });
  if (payment === undefined || payment.type !== initiation.type) return undefined;
  const owners = await db
    .select({ key: paymentInitiationPayments.initiationKey })
    .from(paymentInitiationPayments)
    .where(eq(paymentInitiationPayments.paymentKey, payment.key));
  if (owners.some(({ key }) => key === initiation.key)) return "related";
  if (owners.length > 0 || !(await isNamedBy(db, { initiation, mark }, payment))) return undefined;
  return adopt(context, initiation, { foundPayment: reference });
}

/** Approves or retries an initiation that the original has approved or retried. Nobody claims its movement, and a review tells of it. */
export function adopt(
  context: ServiceContext,
  { key }: Pick<Initiation, "key">,
  metadata: ObjectMetadata,
): Promise<MovementRow | undefined> {
  return retryOnConflict(async () => {
    const order = await readOrder(context, key);
    if (order === undefined) return undefined;
    if (order.movement !== undefined) return order.movement;
    const { initiation } = order;
    const { statements, events } = prepareSend(context, {
      initiation,
      kind: initiation.state.status === "FAILED" ? "retry" : "approve",
      metadata,
      isHeld: true,
    });
    const review = insertReview(context, {
      connectorKey: initiation.connectorKey,
      initiationKey: key,
      reversalKey: null,
      reason: "the provider has made it, and the copy has not stored the outcome yet",
    });
    await Outbox.from(context).publish({ change: [...statements, review], events });
    return (await readOrder(context, key))?.movement;
  });
}

/** Settles an order by what the provider has answered about it. Returns the reason for a review if the answer does not certainly fit. */
export async function settleByAnswer(
  context: ServiceContext,
  order: OpenOrder,
  found: Exclude<FoundMovement, string>,
): Promise<string | undefined> {
  if ("payment" in found) return settleByPayment(context, order, found.payment);
  const { initiation, movement } = order;
  if ("error" in found) {
    if (movement === undefined) return `the provider has refused it: ${found.error}`;
    await storeFailure(context, movement, found.error);
    return undefined;
  }
  const held = movement ?? (await adopt(context, initiation, {}));
  if (held === undefined) return undefined;
  const now = context.clock();
  const db = databaseOf(context.env);
  // The next step asks for the outcome by the polling id, and moves nothing.
  await db.batch([
    db
      .update(paymentMovements)
      .set({ pollingId: found.pollingId, dueAt: now, sentAt: sql`coalesce(sent_at, ${now})` })
      .where(eq(paymentMovements.key, held.key)),
    settleReviews(context, { initiationKey: initiation.key }),
  ]);
  return undefined;
}

async function settleByPayment(
  context: ServiceContext,
  { initiation, movement, reversal }: OpenOrder,
  payment: ProviderPayment,
): Promise<string | undefined> {
  const amount = reversal === undefined ? initiation.state.amount : BigInt(reversal.amount);
  const problem = paymentProblem(payment);
  if (problem !== undefined) return `the provider's answer is not valid: ${problem}`;
  if (payment.asset !== initiation.asset || payment.amount > amount) {
    return `the provider has the reference from another order: ${payment.reference}, of ${payment.amount} ${payment.asset}`;
  }
  const metadata = { foundPayment: payment.reference };
  const held = movement ?? (await adopt(context, initiation, metadata));
  if (held !== undefined) await storePayment(context, held, payment);
  return undefined;
}
