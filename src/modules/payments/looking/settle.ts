import { eq, sql } from "drizzle-orm";
import { type OpenOrder, readOrder } from "./orders.ts";
import type { FoundMovement } from "#modules/payments/connectors/contract.ts";
import {
  type ProviderPayment,
  paymentProblem,
} from "#modules/payments/connectors/provider-objects.ts";
import { prepareSend } from "#modules/payments/initiations/send.ts";
import { retryOnConflict } from "#modules/payments/initiations/store.ts";
import {
  paymentInitiationPayments,
  paymentMovements,
} from "#modules/payments/initiations/tables.ts";
import { watchInitiations } from "#modules/payments/initiations/watch.ts";
import { settleReviews } from "#modules/payments/lookups/review-rows.ts";
import {
  completeMovement,
  firstState,
  isFree,
  isNamedBy,
} from "#modules/payments/movements/complete.ts";
import {
  OTHER_ORDER,
  olderThan,
  storeFound,
  storeFoundUnsent,
} from "#modules/payments/movements/found.ts";
import { holdMovements } from "#modules/payments/movements/hold.ts";
import { storeFailure } from "#modules/payments/movements/outcome.ts";
import { publishUnsent } from "#modules/payments/movements/unsent.ts";
import { parseShown, type Shown } from "#modules/payments/payments/ingestion/shown-movements.ts";
import { findPayment } from "#modules/payments/payments/store.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { Outbox } from "#platform/events/outbox.ts";

/**
 * Settles orders of a restored copy by what the original has made of them. Each settlement is one batch, and is repeated after a crash without
 * harm: an initiation that waits or has failed here is approved or retried only together with what the provider knows of it.
 */

/** Holds an order until a person decides about it, with the reason. */
export async function holdForReview(
  context: ServiceContext,
  { initiation, movement }: OpenOrder,
  reason: string,
): Promise<void> {
  const { key: initiationKey, connectorKey } = initiation;
  const reversalKey = movement?.reversalKey ?? null;
  const movementKey = movement?.key ?? null;
  await holdMovements(context, { initiationKey, connectorKey, reversalKey, movementKey, reason });
}

/** Settles an order by a payment that shows its reference. Returns false for a payment that does not certainly fit. */
export async function settleByShown(
  context: ServiceContext,
  order: OpenOrder,
  note: string,
): Promise<boolean> {
  const { movement } = order;
  if (movement === undefined) return settleUnsent(context, order, parseShown(note));
  await databaseOf(context.env)
    .update(paymentMovements)
    .set({ shown: note })
    .where(eq(paymentMovements.key, movement.key));
  return completeMovement(context, movement);
}

/** Settles an initiation without a movement by a payment. Returns true also for one whose payment it is known to be. */
function settleUnsent(
  context: ServiceContext,
  { initiation: { key } }: OpenOrder,
  { type, reference, isAmbiguous = false }: Shown,
): Promise<boolean> {
  return retryOnConflict(async () => {
    const order = await readOrder(context, key);
    if (order === undefined) return true;
    const { initiation, mark } = order;
    const db = databaseOf(context.env);
    const id = { connector: initiation.id.connector, type, reference };
    const payment = await findPayment(db, id);
    if (isAmbiguous || payment === undefined) return false;
    const owners = await db
      .select({ key: paymentInitiationPayments.initiationKey })
      .from(paymentInitiationPayments)
      .where(eq(paymentInitiationPayments.paymentKey, payment.key));
    if (owners.some((owner) => owner.key === key)) return true;
    if (owners.length > 0 || order.movement !== undefined) return false;
    if (!(await isNamedBy(context, { initiation, mark }, payment))) return false;
    const made = await firstState(db, id, payment);
    if (made === undefined) return false;
    await publishUnsent(context, {
      initiation,
      metadata: { foundPayment: reference },
      made,
      page: { statements: [], events: [] },
      condition: isFree({ initiation }, id),
    });
    return true;
  });
}

/** Settles an order by what the provider has answered about it. Returns the reason for a review if the answer does not certainly fit. */
export async function settleByAnswer(
  context: ServiceContext,
  order: OpenOrder,
  found: Exclude<FoundMovement, string>,
): Promise<string | undefined> {
  if ("otherOrder" in found) return `${OTHER_ORDER}: ${found.otherOrder}`;
  if ("payment" in found) return settleByPayment(context, order, found.payment);
  const { initiation, movement } = order;
  if ("error" in found) {
    if (movement === undefined) return `the provider has refused it: ${found.error}`;
    await storeFailure(context, movement, found.error);
    return undefined;
  }
  const older = olderThan(initiation, found);
  if (older === undefined) await settleByPolling(context, initiation.key, found.pollingId);
  return older;
}

/**
 * Stores the id by which the provider is asked for the outcome of an order that it has accepted: the next step asks, and moves nothing. One
 * batch approves or retries an initiation that was not sent here.
 */
function settleByPolling(
  context: ServiceContext,
  initiationKey: number,
  pollingId: string,
): Promise<void> {
  return retryOnConflict(async () => {
    const order = await readOrder(context, initiationKey);
    if (order === undefined) return;
    const { initiation, movement } = order;
    const now = context.clock();
    const isUnsent = movement === undefined;
    const sent = isUnsent
      ? prepareSend(context, {
          initiation,
          kind: initiation.state.status === "FAILED" ? "retry" : "approve",
          metadata: { foundMovement: pollingId },
          isHeld: true,
        })
      : { statements: [], events: [] };
    if (isUnsent) await watchInitiations(context);
    const polled = databaseOf(context.env)
      .update(paymentMovements)
      .set({ pollingId, dueAt: now, shown: null, sentAt: sql`coalesce(sent_at, ${now})` })
      .where(eq(paymentMovements.initiationKey, initiationKey));
    await Outbox.from(context).publish({
      change: [...sent.statements, polled, settleReviews(context, { initiationKey })],
      events: sent.events,
    });
  });
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
    return `${OTHER_ORDER}: ${payment.reference}, of ${payment.amount} ${payment.asset}`;
  }
  const older = olderThan(initiation, { payment });
  if (older !== undefined) return older;
  if (movement !== undefined) return storeFound(context, movement, payment);
  const readUnsent = async () => {
    const order = await readOrder(context, initiation.key);
    return order?.movement === undefined ? order?.initiation : undefined;
  };
  return storeFoundUnsent(context, readUnsent, payment);
}
