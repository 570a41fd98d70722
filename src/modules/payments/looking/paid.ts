import { and, asc, eq, sql } from "drizzle-orm";
import type { OpenOrder } from "./orders.ts";
import type { ProviderPayment } from "#modules/payments/connectors/provider-objects.ts";
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
import { paymentPayments } from "#modules/payments/payments/tables.ts";
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
  if (order.reversal !== undefined) return refundOfDecision(context, order, reference);
  const { initiation } = order;
  const { type, asset, id, state } = initiation;
  const paymentId = { connector: id.connector, reference, type };
  const db = databaseOf(context.env);
  const payment = await findPayment(db, paymentId);
  if (payment === undefined) {
    if (!isUnknown) {
      throw unfit(
        `the connector has brought no payment ${reference}; if the provider has made it all the same, say so with isUnknown (--unknown)`,
      );
    }
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

/** The refund that a person names as that of a reversal: a later state of the initiation's payment. */
async function refundOfDecision(
  context: ServiceContext,
  order: OpenOrder,
  reference: string,
): Promise<PaidOutcome> {
  const { initiation, reversal } = order;
  const [parent] = await databaseOf(context.env)
    .select({ reference: paymentPayments.reference })
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
  const [other] = await databaseOf(context.env)
    .select({ reference: paymentReversals.reference })
    .from(paymentReversals)
    .where(
      and(
        eq(paymentReversals.initiationKey, initiation.key),
        eq(paymentReversals.paymentReference, reference),
      ),
    )
    .limit(1);
  if (other !== undefined) throw unfit(`it is the refund of the reversal ${other.reference}`);
  return outcomeOf(context, order, {
    reference,
    parentReference: parent.reference,
    amount: BigInt(reversal?.amount ?? 0),
    status: "REFUNDED",
  });
}
