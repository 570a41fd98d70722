import { and, eq, sql } from "drizzle-orm";
import { decidingPayment } from "#modules/payments/core/reversal-machine.ts";
import {
  paidReversals,
  prepareReversalChange,
  type StoredReversal,
} from "#modules/payments/initiations/reversals.ts";
import { retryOnConflict, findInitiationByKey } from "#modules/payments/initiations/store.ts";
import {
  paymentInitiationPayments,
  paymentMovements,
} from "#modules/payments/initiations/tables.ts";
import { prepareTransitions, type Transition } from "#modules/payments/initiations/transition.ts";
import {
  paymentUpdatesAfter,
  type PaymentUpdate,
} from "#modules/payments/payments/related-payments.ts";
import { paymentAdjustments } from "#modules/payments/payments/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { Outbox } from "#platform/events/outbox.ts";

/**
 * Later states of a payment change the initiation for which the payment was made. The batch that stores such a state marks
 * the relation between the two, and the sweep applies marked states to the initiation, so that no state is missed or applied
 * twice. While a movement of the initiation is under way, the states wait for its outcome.
 */

/** Most initiations whose news one sweep applies. */
const SWEEP_MAX = 100;
/** Most states of a payment that one batch applies. The next sweep applies the others. */
const NEWS_MAX = 100;

/**
 * Applies news of payments to their initiations. Returns whether there may be more news. Throws if some initiation failed,
 * so that the sweep comes again soon.
 */
export async function applyAllPaymentUpdates(context: ServiceContext): Promise<boolean> {
  const rows = await databaseOf(context.env)
    .selectDistinct({ key: paymentInitiationPayments.initiationKey })
    .from(paymentInitiationPayments)
    .where(and(eq(paymentInitiationPayments.hasNews, true), isAtRest))
    .limit(SWEEP_MAX);
  const failures: unknown[] = [];
  for (const { key } of rows) {
    // A failure of one initiation does not stop the others.
    await applyPaymentUpdates(context, key).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) {
    throw new AggregateError(
      failures,
      "news of payments could not be applied to their initiations",
    );
  }
  return rows.length === SWEEP_MAX;
}

const isAtRest = sql`NOT EXISTS (
  SELECT 1 FROM ${paymentMovements} AS m
  WHERE m.initiation_key = ${paymentInitiationPayments.initiationKey})`;

/** Applies news to one initiation: up to `NEWS_MAX` states of each of its payments. */
export function applyPaymentUpdates(context: ServiceContext, initiationKey: number): Promise<void> {
  return retryOnConflict(async () => {
    const relations = await databaseOf(context.env)
      .select()
      .from(paymentInitiationPayments)
      .where(
        and(
          eq(paymentInitiationPayments.initiationKey, initiationKey),
          eq(paymentInitiationPayments.hasNews, true),
          isAtRest,
        ),
      );
    for (const relation of relations) await hear(context, relation);
  });
}

async function hear(
  hearing: ServiceContext,
  relation: typeof paymentInitiationPayments.$inferSelect,
): Promise<void> {
  const { env } = hearing;
  const initiation = await findInitiationByKey(hearing, relation.initiationKey);
  if (initiation === undefined) return;
  const context = { ...hearing, causationDepth: initiation.causationDepth };
  const { paymentKey } = relation;
  const news = await paymentUpdatesAfter(context, {
    paymentKey,
    heardOf: relation.heardOf,
    most: NEWS_MAX,
  });
  const paid = await paidReversals(context, initiation.key);
  const change = prepareTransitions(
    context,
    initiation,
    news.flatMap((state) => triggerOf(state, paid)),
  );
  const heardOf = news.at(-1)?.key ?? relation.heardOf;
  const isMore = sql<boolean>`EXISTS (
    SELECT 1 FROM ${paymentAdjustments} AS a
    WHERE a.payment_key = ${paymentKey} AND a.key > ${heardOf})`;
  await Outbox.from(context).publish({
    change: [
      databaseOf(env)
        .update(paymentInitiationPayments)
        .set({ heardOf, hasNews: isMore })
        .where(eq(paymentInitiationPayments.key, relation.key)),
      ...change.statements,
      ...paid.flatMap((reversal) => {
        const states = news.filter(({ reference }) => reference === reversal.paymentReference);
        const payment = decidingPayment(
          reversal.status,
          states.map(({ status }) => status),
        );
        if (payment === undefined) return [];
        const trigger = { kind: "payment", payment } as const;
        return prepareReversalChange(context, { reversal, trigger, at: context.clock() });
      }),
    ],
    events: change.events,
  });
}

/**
 * The trigger by which a later state of a payment changes its initiation; none if the state belongs to a reversal that has
 * ended.
 */
export function triggerOf(
  { reference, status, amount, createdAt }: PaymentUpdate,
  paid: readonly StoredReversal[],
): Omit<Transition, "initiation">[] {
  const reversal = paid.find((candidate) => candidate.paymentReference === reference);
  if (reversal === undefined) {
    const trigger = { kind: "reported", payment: status } as const;
    return [{ trigger: amount === undefined ? trigger : { ...trigger, amount }, at: createdAt }];
  }
  return reversal.status === "PROCESSING"
    ? [{ trigger: { kind: "reversal-reported", payment: status }, at: createdAt }]
    : [];
}
