import { eq, sql } from "drizzle-orm";
import { requireReview, unknownReview } from "./decide.ts";
import { encodePaymentId } from "#modules/payments/core/ids.ts";
import {
  INITIATION_COLUMNS,
  type Initiation,
  toInitiation,
} from "#modules/payments/initiations/initiation.ts";
import { paymentInitiations, paymentReversals } from "#modules/payments/initiations/tables.ts";
import { connectorKey, unindexed } from "#modules/payments/installs/filters.ts";
import { paymentConnectors } from "#modules/payments/installs/tables.ts";
import { findLookup } from "#modules/payments/lookups/lookup-rows.ts";
import type { ReviewRow } from "#modules/payments/lookups/review-rows.ts";
import { paymentReviews } from "#modules/payments/lookups/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { isSelected, type ListTable, listPage } from "#platform/db/list.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import { fromMillis, toMicros, toMillis } from "#platform/time.ts";

/** A review with its order. */
export interface OrderReview {
  readonly review: ReviewRow;
  readonly initiation: Initiation;
  /** The reference and the amount of the reversal; null for a review of the initiation itself. */
  readonly reversal: { readonly reference: string; readonly amount: string } | null;
}

/** A review with the payments that may be its order's. */
export interface ShownReview extends OrderReview {
  /**
   * Payments of the same money since the order was made, or in the month before an order that only the copy has made, which belong to no
   * initiation: the newest first, ten at most.
   */
  readonly candidates: readonly PaymentCandidate[];
}

/** A payment that may be that of an order. */
export interface PaymentCandidate {
  /** The id in the API. */
  readonly id: string;
  /** The provider's reference, by which a decision names the payment. */
  readonly reference: string;
}

const REVIEWS: ListTable<OrderReview> = {
  keys: {
    status: { type: "set", column: paymentReviews.status },
    connector_id: connectorKey(unindexed(paymentReviews.connectorKey)),
  },
  sort: {
    created_at: {
      type: "date",
      column: paymentReviews.createdAt,
      tie: paymentReviews.key,
      keyOf: ({ review: { createdAt, key } }) => ({
        value: toMicros(createdAt),
        tie: BigInt(key),
      }),
    },
  },
};

const COLUMNS = {
  ...INITIATION_COLUMNS,
  review: paymentReviews,
  reversalReference: sql<string | null>`${paymentReversals.reference}`.as("reversal_reference"),
  reversalAmount: sql<string | null>`${paymentReversals.amount}`.as("reversal_amount"),
};

const selectReviews = ({ env }: Pick<ServiceContext, "env">) =>
  databaseOf(env)
    .select(COLUMNS)
    .from(paymentReviews)
    .innerJoin(paymentInitiations, eq(paymentInitiations.key, paymentReviews.initiationKey))
    .innerJoin(paymentConnectors, eq(paymentConnectors.key, paymentReviews.connectorKey))
    .leftJoin(paymentReversals, eq(paymentReversals.key, paymentReviews.reversalKey));

function toReview({
  review,
  reversalReference,
  reversalAmount,
  ...initiation
}: Awaited<ReturnType<typeof selectReviews>>[number]): OrderReview {
  return {
    review,
    initiation: toInitiation(initiation),
    reversal:
      reversalReference === null || reversalAmount === null
        ? null
        : { reference: reversalReference, amount: reversalAmount },
  };
}

/** A page of reviews. Throws `VALIDATION` for a bad filter. */
export const listReviews = (
  context: Pick<ServiceContext, "env">,
  query: PageQuery,
): Promise<Page<OrderReview>> =>
  listPage(query, {
    ...REVIEWS,
    read: async (scan) => {
      const rows = await selectReviews(context)
        .where(isSelected(paymentReviews.key, scan))
        .orderBy(...scan.orderBy);
      return rows.map((row) => toReview(row));
    },
  });

/** A review with its order and the payments that may be the order's. Throws `NOT_FOUND`. */
export async function readReview(
  context: Pick<ServiceContext, "env">,
  id: string,
): Promise<ShownReview> {
  const { key } = await requireReview(context, id);
  const [row] = await selectReviews(context).where(eq(paymentReviews.key, key));
  const review = row === undefined ? undefined : toReview(row);
  if (review === undefined) throw unknownReview();
  return { ...review, candidates: await candidatesOf(context, review) };
}

/** Most payments that a review names. */
const CANDIDATES_MAX = 10;
/** How far the clock of a provider may be behind, in milliseconds. */
const CLOCK_MS = 3_600_000;
/** How long before an order of the copy the payment of its original is looked for, in milliseconds. */
const PAID_BEFORE_MS = 30 * 86_400_000;
/** How long after an order its payment is looked for, in milliseconds. */
const PAID_WITHIN_MS = 90 * 86_400_000;

async function candidatesOf(
  context: Pick<ServiceContext, "env">,
  { review, initiation, reversal }: OrderReview,
): Promise<PaymentCandidate[]> {
  if (review.status !== "open" || reversal !== null) return [];
  const { connectorKey: key, type, asset, state, createdAt, id } = initiation;
  const beganAt = (await findLookup(context, key))?.beganAt ?? createdAt;
  const fromMs = toMillis(createdAt) - (createdAt > beganAt ? PAID_BEFORE_MS : CLOCK_MS);
  const rows = await databaseOf(context.env).all<{ reference: string }>(sql`
    SELECT p.reference FROM payment_payments AS p
    WHERE p.created_at >= ${fromMillis(fromMs)} AND p.created_at < ${fromMillis(fromMs + PAID_WITHIN_MS)}
      AND p.connector_key = ${key} AND p.type = ${type} AND p.asset = ${asset}
      AND p.initial_amount = ${state.amount.toString()}
      AND NOT EXISTS (SELECT 1 FROM payment_initiation_payments AS r WHERE r.payment_key = p.key)
    ORDER BY p.created_at DESC, p.key DESC LIMIT ${CANDIDATES_MAX}`);
  return rows.map(({ reference }) => ({
    id: encodePaymentId({ connector: id.connector, reference, type }),
    reference,
  }));
}
