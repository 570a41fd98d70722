import { and, asc, eq, ne, sql } from "drizzle-orm";
import type { OpenOrder } from "./orders.ts";
import type { ProviderPayment } from "#modules/payments/connectors/provider-objects.ts";
import type { PaymentStatus } from "#modules/payments/core/enums.ts";
import { given } from "#modules/payments/core/given.ts";
import { decodePaymentId } from "#modules/payments/core/ids.ts";
import {
  paymentInitiationPayments,
  paymentReversals,
} from "#modules/payments/initiations/tables.ts";
import { getConnector } from "#modules/payments/installs/store.ts";
import { firstState, isFree } from "#modules/payments/movements/complete.ts";
import type { MovementEnd } from "#modules/payments/movements/outcome.ts";
import { preparePayments } from "#modules/payments/payments/ingestion/payments.ts";
import { findPayment } from "#modules/payments/payments/store.ts";
import { paymentAdjustments, paymentPayments } from "#modules/payments/payments/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { stringifyJson } from "#platform/json.ts";

type PaidOutcome = Pick<MovementEnd, "made" | "page" | "condition">;

/** How a person names a payment. */
interface NamedPayment {
  /** The provider's reference. */
  readonly reference: string;
  /** Whether the connector has not brought it. */
  readonly isUnknown: boolean;
}

/**
 * The payment that a person names as that of an order: the payment of the connector with this reference, or, if the connector has not brought
 * it, a payment of what was ordered, to which later reports of the provider belong. Throws `VALIDATION` for a payment that does not fit.
 */
export async function paymentOfDecision(
  context: ServiceContext,
  order: OpenOrder,
  { reference, isUnknown }: NamedPayment,
): Promise<PaidOutcome> {
  if (decodePaymentId(reference) !== undefined) {
    throw unfit("it is the id of a payment; name the provider's reference of the payment");
  }
  if (order.reversal !== undefined) {
    return refundOfDecision(context, order, { reference, isUnknown });
  }
  const { initiation } = order;
  const { type, asset, id, state } = initiation;
  const paymentId = { connector: id.connector, reference, type };
  const db = databaseOf(context.env);
  const payment = await findPayment(db, paymentId);
  if (payment === undefined) {
    if (!isUnknown) throw notBrought("payment", reference);
    return outcomeOf(context, order, { reference, amount: state.amount, status: "SUCCEEDED" });
  }
  if (payment.asset !== asset || BigInt(payment.initialAmount) > state.amount) {
    throw unfit(`the payment ${reference} is of ${payment.initialAmount} ${payment.asset}`);
  }
  const owners = await db
    .select({ key: paymentInitiationPayments.initiationKey })
    .from(paymentInitiationPayments)
    .where(eq(paymentInitiationPayments.paymentKey, payment.key));
  if (owners.some(({ key }) => key !== initiation.key)) {
    throw unfit(`the payment ${reference} is that of another payment initiation`);
  }
  const made = await firstState(db, paymentId, payment);
  if (made === undefined) throw unfit(`the payment ${reference} has no state`);
  return {
    made,
    page: { statements: [], events: [] },
    condition: isFree({ initiation }, paymentId),
  };
}

const unfit = (why: string): AppError => new AppError("VALIDATION", `paymentReference: ${why}`);

const notBrought = (what: string, reference: string): AppError =>
  unfit(
    `the connector has brought no ${what} ${reference}; if the provider has made it all the same, say so with isUnknown (--unknown)`,
  );

type NewState = Pick<ProviderPayment, "reference" | "amount" | "status"> &
  Pick<Partial<ProviderPayment>, "parentReference">;

/** The outcome of an order by a state that the connector has not brought, with the statements that store it. */
async function outcomeOf(
  context: ServiceContext,
  { initiation }: OpenOrder,
  state: NewState,
): Promise<PaidOutcome> {
  const { id, type, asset, source, destination } = initiation;
  const { reference, parentReference, status, amount } = state;
  const connector = await getConnector(context, id.connector);
  const payment: ProviderPayment = {
    ...state,
    createdAt: context.clock(),
    type,
    asset,
    scheme: "OTHER",
    ...given({
      sourceReference: source?.reference,
      destinationReference: destination?.reference,
    }),
    metadata: { reviewedBy: context.principal.subject },
    raw: stringifyJson({ reference, amount: String(amount), asset }),
  };
  const paid = parentReference ?? reference;
  return {
    made: { id: { connector: id.connector, reference: paid, type }, reference, status },
    page: await preparePayments(context, { connector, payments: [payment] }),
  };
}

/**
 * The refund that a person names as that of a reversal: a later state of the initiation's payment, or, if the connector has not brought it, a
 * state of what was ordered.
 */
async function refundOfDecision(
  context: ServiceContext,
  order: OpenOrder,
  { reference, isUnknown }: NamedPayment,
): Promise<PaidOutcome> {
  const { initiation, reversal } = order;
  const db = databaseOf(context.env);
  const [parent] = await db
    .select({ key: paymentPayments.key, reference: paymentPayments.reference })
    .from(paymentInitiationPayments)
    .innerJoin(
      paymentPayments,
      and(
        eq(paymentPayments.key, paymentInitiationPayments.paymentKey),
        sql`${paymentPayments.type} = ${initiation.type}`,
      ),
    )
    .where(eq(paymentInitiationPayments.initiationKey, initiation.key))
    .orderBy(asc(paymentInitiationPayments.key))
    .limit(1);
  if (parent === undefined) throw unfit("the payment initiation has no payment to be reversed");
  if (parent.reference === reference) throw unfit("it is the payment itself, not its reversal");
  await assertOfNoOther(context, order, reference);
  const amount = BigInt(reversal?.amount ?? 0);
  const [state] = await db
    .select({ status: paymentAdjustments.status, amount: paymentAdjustments.amount })
    .from(paymentAdjustments)
    .where(
      and(
        eq(paymentAdjustments.paymentKey, parent.key),
        eq(paymentAdjustments.reference, reference),
      ),
    )
    .orderBy(asc(paymentAdjustments.ordinal))
    .limit(1);
  if (state === undefined) {
    if (!isUnknown) throw notBrought("refund", reference);
    const refund = { reference, parentReference: parent.reference, amount };
    return outcomeOf(context, order, { ...refund, status: "REFUNDED" });
  }
  const { status } = state;
  if (!REFUNDS.has(status)) throw unfit(`${reference} is ${status}, and no refund`);
  if (state.amount === null || BigInt(state.amount) !== amount) {
    throw unfit(`the refund ${reference} is of ${state.amount ?? "an unknown amount"}`);
  }
  const id = { connector: initiation.id.connector, reference: parent.reference };
  return {
    made: { id: { ...id, type: initiation.type }, reference, status },
    page: { statements: [], events: [] },
  };
}

/** Statuses of a refund, whether it was made or has failed. */
const REFUNDS: ReadonlySet<PaymentStatus> = new Set(["REFUNDED", "REFUNDED_FAILURE"]);

/** Throws `VALIDATION` for a refund that another reversal of the initiation has. */
async function assertOfNoOther(
  { env }: ServiceContext,
  { initiation, reversal }: OpenOrder,
  reference: string,
): Promise<void> {
  const [other] = await databaseOf(env)
    .select({ reference: paymentReversals.reference })
    .from(paymentReversals)
    .where(
      and(
        eq(paymentReversals.initiationKey, initiation.key),
        eq(paymentReversals.paymentReference, reference),
        ne(paymentReversals.key, reversal?.key ?? 0),
      ),
    )
    .limit(1);
  if (other !== undefined) throw unfit(`it is the refund of the reversal ${other.reference}`);
}
