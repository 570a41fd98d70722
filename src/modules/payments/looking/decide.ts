import { and, eq, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { type OpenOrder, readOrder, shownMark } from "./orders.ts";
import { paymentOfDecision } from "./paid.ts";
import { assertSecondPerson } from "#modules/payments/initiations/approve.ts";
import { CLAIM_MS } from "#modules/payments/initiations/movement-rows.ts";
import { retryOnConflict } from "#modules/payments/initiations/store.ts";
import { paymentMovements } from "#modules/payments/initiations/tables.ts";
import { prepareTransition } from "#modules/payments/initiations/transition.ts";
import { watchInitiations } from "#modules/payments/initiations/watch.ts";
import {
  decideRow,
  findReview,
  type ReviewDecided,
  type ReviewRow,
} from "#modules/payments/lookups/review-rows.ts";
import { paymentReviews, paymentShownMarks } from "#modules/payments/lookups/tables.ts";
import { shownButUnfit } from "#modules/payments/movements/complete.ts";
import { type Execution, readExecution } from "#modules/payments/movements/execution.ts";
import {
  type AlsoStored,
  publishFailure,
  publishOutcome,
} from "#modules/payments/movements/outcome.ts";
import { applyPaymentUpdates } from "#modules/payments/movements/payment-updates.ts";
import { publishUnsent } from "#modules/payments/movements/unsent.ts";
import { wakeMovements } from "#modules/payments/movements/wake.ts";
import { parseShown } from "#modules/payments/payments/ingestion/shown-movements.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { Outbox } from "#platform/events/outbox.ts";
import { fromMillis, toMillis } from "#platform/time.ts";

/**
 * Stores what a person has found out about an order under review, and what follows from it, in one batch:
 *
 * | Decision | A movement | An initiation that waits | One that has failed |
 * | --- | --- | --- | --- |
 * | `paid` | gets the payment | is approved, and gets the payment | is retried, and gets the payment |
 * | `not-paid` | is sent, or asked about if the provider has accepted it meanwhile; after `CLAIM_MS` if it was called | may be approved | may be retried |
 * | `given-up` | fails | is rejected | stays as it is |
 *
 * The same decision again changes nothing. Throws `NOT_FOUND`; `CONFLICT` if somebody else has decided otherwise, or the order has been settled
 * meanwhile; `VALIDATION` for a payment that does not fit, and for the creator of the initiation if two people are needed.
 */
export async function decideReview(
  context: ServiceContext,
  id: string,
  decided: ReviewDecided,
): Promise<void> {
  const namesPayment = decided.paymentReference !== undefined || decided.isUnknown === true;
  if (decided.decision !== "paid" && namesPayment) {
    throw new AppError("VALIDATION", "paymentReference: only the decision paid names a payment");
  }
  const order = await retryOnConflict(async () => {
    const review = await requireReview(context, id);
    if (review.status !== "open") {
      assertSame(review, decided);
      return undefined;
    }
    const open = await readOrder(context, review.initiationKey);
    if (open === undefined) throw unknownReview();
    assertSecondPerson(context, open.initiation.creator, "review");
    await carryOut(context, { review, order: open, decided });
    return open;
  });
  if (order === undefined) return;
  await applyPaymentUpdates(context, order.initiation.key);
  if (decided.decision === "not-paid") {
    await wakeMovements(context, order.initiation.id.connector);
  }
}

/** The review with an id. Throws `NOT_FOUND`. */
export async function requireReview(
  context: Pick<ServiceContext, "env">,
  id: string,
): Promise<ReviewRow> {
  const review = await findReview(context, id);
  if (review === undefined) throw unknownReview();
  return review;
}

/** The error for a review that does not exist, or whose initiation was deleted. */
export const unknownReview = (): AppError =>
  new AppError("NOT_FOUND", "cannot get the review of a payment: not found");

/** Throws `CONFLICT` unless a review has ended by the same decision. */
function assertSame(review: ReviewRow, { decision, paymentReference }: ReviewDecided): void {
  const isSame =
    review.decision === decision && review.paymentReference === (paymentReference ?? null);
  if (isSame) return;
  const by = review.decision === null ? "its payment" : `${review.subject}: ${review.decision}`;
  throw new AppError("CONFLICT", `the review was settled meanwhile by ${by}`);
}

interface Deciding {
  readonly review: ReviewRow;
  readonly order: OpenOrder;
  readonly decided: ReviewDecided;
}

function carryOut(context: ServiceContext, deciding: Deciding): Promise<void> {
  switch (deciding.decided.decision) {
    case "paid":
      return storePaid(context, deciding);
    case "not-paid":
      return storeNotPaid(context, deciding);
    case "given-up":
      return giveUp(context, deciding);
  }
}

/** What every decision stores: the review as decided, and an entry of the audit. */
const alsoStored = (
  context: ServiceContext,
  { review, decided }: Deciding,
): Required<AlsoStored> => ({
  statements: [decideRow(context, review, decided)],
  audit: new AuditedChange(context, {
    action: "payments.review.decide",
    object: `payments/reviews/${review.id}/${decided.decision}`,
  }),
});

async function storePaid(deciding: ServiceContext, settled: Deciding): Promise<void> {
  const { order, decided } = settled;
  const context = { ...deciding, causationDepth: order.initiation.causationDepth };
  const reference = decided.paymentReference;
  if (reference === undefined) {
    throw new AppError("VALIDATION", "paymentReference: names the payment that the provider made");
  }
  const { isUnknown = false } = decided;
  const payment = await paymentOfDecision(context, order, { reference, isUnknown });
  const also = alsoStored(context, settled);
  const { initiation, movement } = order;
  if (movement === undefined) {
    const metadata = { approvedBy: context.principal.subject };
    await publishUnsent(context, { initiation, metadata, ...payment, also });
    return;
  }
  const execution = await executionOf(context, movement);
  await publishOutcome(context, { execution, ...payment, also });
}

async function executionOf(
  context: ServiceContext,
  movement: OpenOrder["movement"],
): Promise<Execution> {
  const execution = movement === undefined ? undefined : await readExecution(context, movement);
  if (execution === undefined) {
    throw new AppError("CONFLICT", "the payment has ended, or its connector is being uninstalled");
  }
  return execution;
}

async function storeNotPaid(context: ServiceContext, deciding: Deciding): Promise<void> {
  const { movement, initiation } = deciding.order;
  const forgotten = await forgottenMark(context, deciding);
  const { statements, audit } = alsoStored(context, deciding);
  const now = context.clock();
  const { scheduledAt } = initiation;
  // The call that the review has overtaken may still be under way: it ends within the time of its claim.
  const wasCalled = movement !== undefined && movement.claims > 0;
  const earliest = wasCalled ? fromMillis(toMillis(now) + CLAIM_MS) : now;
  const dueAt = scheduledAt !== undefined && scheduledAt > earliest ? scheduledAt : earliest;
  const freed: BatchItem<"sqlite">[] =
    movement === undefined
      ? []
      : [
          databaseOf(context.env)
            .update(paymentMovements)
            .set({ dueAt, shown: null })
            .where(eq(paymentMovements.key, movement.key)),
        ];
  if (movement !== undefined) await watchInitiations(context);
  await Outbox.from(context).publish({
    change: [...statements, ...freed, ...forgotten],
    events: [],
    audit,
  });
}

/**
 * The statement that forgets the payment which shows the reference of an order, because a person has found that it is another one. Throws
 * `CONFLICT` if the review does not name this payment yet, and lets it do so: it was shown after the review was stored.
 */
async function forgottenMark(
  context: ServiceContext,
  { review, order: { mark } }: Deciding,
): Promise<BatchItem<"sqlite">[]> {
  const { connectorKey } = review;
  const note = await shownMark(context, { key: connectorKey }, { mark });
  if (note === undefined) return [];
  const db = databaseOf(context.env);
  const reason = shownButUnfit(parseShown(note));
  if (review.reason !== reason) {
    await db
      .update(paymentReviews)
      .set({ reason, version: sql`version + 1` })
      .where(and(eq(paymentReviews.key, review.key), eq(paymentReviews.status, "open")));
    throw new AppError("CONFLICT", `meanwhile, ${reason}; read the review again`);
  }
  return [
    db
      .delete(paymentShownMarks)
      .where(
        and(eq(paymentShownMarks.connectorKey, connectorKey), eq(paymentShownMarks.mark, mark)),
      ),
  ];
}

async function giveUp(context: ServiceContext, deciding: Deciding): Promise<void> {
  const { movement, initiation } = deciding.order;
  const also = alsoStored(context, deciding);
  if (movement !== undefined) {
    const execution = await executionOf(context, movement);
    const error = `given up by ${context.principal.subject} after a look-up that could not tell`;
    await publishFailure(context, { execution, error, also });
    return;
  }
  const metadata = { rejectedBy: context.principal.subject };
  const rejection =
    initiation.state.status === "WAITING_FOR_VALIDATION"
      ? prepareTransition(context, { initiation, trigger: { kind: "reject" }, metadata })
      : { statements: [], events: [] };
  await Outbox.from(context).publish({
    change: [...also.statements, ...rejection.statements],
    events: rejection.events,
    audit: also.audit,
  });
}
