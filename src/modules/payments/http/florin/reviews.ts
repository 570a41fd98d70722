import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { INITIATION_STATUSES, INITIATION_TYPES } from "#modules/payments/core/enums.ts";
import { given } from "#modules/payments/core/given.ts";
import { encodeConnectorId, encodeOwnedId } from "#modules/payments/core/ids.ts";
import { LIST, toListQuery } from "#modules/payments/http/lists.ts";
import { uuidParam } from "#modules/payments/http/path-ids.ts";
import { decideReview } from "#modules/payments/looking/decide.ts";
import {
  listReviews,
  type OrderReview,
  readReview,
  type ShownReview,
} from "#modules/payments/looking/reviews.ts";
import { REVIEW_DECISIONS, REVIEW_STATUSES } from "#modules/payments/lookups/tables.ts";
import {
  type AppEnv,
  BigInteger,
  deploymentOf,
  ok,
  operations,
  registration,
  TimestampOutput,
} from "#platform/http/index.ts";
import { formatTimestamp, optionalTimestamp } from "#platform/time.ts";

/** Longest reference of a payment, in characters. */
const REFERENCE_LENGTH_MAX = 1000;

const Decision = z.enum(REVIEW_DECISIONS).openapi({
  description:
    "`paid`: the provider has made it, by the payment `paymentReference`. `not-paid`: the provider has not made it; what was on its way is sent, and what waited or had failed may be approved or retried. `given-up`: it is not sent; what was on its way fails, and what waited is rejected",
});

const ReviewResponse = z
  .object({
    id: z.string(),
    status: z.enum(REVIEW_STATUSES).openapi({
      description:
        "`open` until a person has decided; `settled` if the payment has come, or the order has ended, before anybody decided",
    }),
    reason: z.string().openapi({ description: "Why the order could not be looked up" }),
    createdAt: TimestampOutput,
    connectorID: z.string(),
    paymentInitiationID: z.string(),
    reference: z.string().openapi({
      description: "The reference at the provider: that of the initiation, or of its reversal",
    }),
    reversal: z.boolean().openapi({ description: "Whether the order is a reversal" }),
    type: z.enum(INITIATION_TYPES),
    amount: BigInteger,
    asset: z.string(),
    paymentInitiationStatus: z.enum(INITIATION_STATUSES),
    decision: Decision.optional(),
    paymentReference: z.string().optional(),
    decidedAt: TimestampOutput.optional(),
    decidedBy: z
      .object({ issuer: z.string(), subject: z.string(), clientId: z.string() })
      .optional(),
  })
  .openapi("PaymentReview");

const ReviewDetails = ReviewResponse.extend({
  candidates: z.array(z.object({ id: z.string(), reference: z.string() })).openapi({
    description:
      "The ids of payments, with the references by which a decision names them, of the same type and amount that belong to no initiation, the newest first: since the order was made, or since a month before an order that only the restored deployment has made. One of them may be the order's",
  }),
}).openapi("PaymentReviewDetails");

function toView({ review, initiation, reversal }: OrderReview): z.input<typeof ReviewResponse> {
  const { id, status, reason, createdAt, decision, paymentReference, decidedAt } = review;
  const { issuer, subject, clientId } = review;
  const by =
    issuer === null || subject === null || clientId === null
      ? undefined
      : { issuer, subject, clientId };
  return {
    id,
    status,
    reason,
    createdAt: formatTimestamp(createdAt),
    connectorID: encodeConnectorId(initiation.id.connector),
    paymentInitiationID: encodeOwnedId(initiation.id),
    reference: reversal?.reference ?? initiation.id.reference,
    reversal: reversal !== null,
    type: initiation.type,
    amount: reversal === null ? initiation.state.amount : BigInt(reversal.amount),
    asset: initiation.asset,
    paymentInitiationStatus: initiation.state.status,
    ...given({ decision, paymentReference, decidedBy: by }),
    ...optionalTimestamp("decidedAt", decidedAt ?? undefined),
  };
}

const toDetails = (shown: ShownReview): z.input<typeof ReviewDetails> => ({
  ...toView(shown),
  candidates: [...shown.candidates],
});

/** Checks that the token has a scope of payments, too: whoever operates the deployment may not decide about its money by that alone. */
const assertMay = (c: Context<AppEnv>, scope: "payments:read" | "payments:write") =>
  deploymentOf(c).authenticate(c.req.raw, scope);

const Params = z.object({ reviewID: uuidParam("review") });
const reviews = operations({
  path: "/payments/reviews",
  tags: ["Payment reviews"],
  scope: "florin",
  honoursLedgers: false,
});
const OPERATE = { scope: "florin:operate" } as const;

/** Registers Florin's own operations on payments that a restored copy could not look up, below `/api/florin/v1`. */
export const registerReviews = registration(
  reviews.get("", {
    ...OPERATE,
    operationId: "florinListPaymentReviews",
    summary: "List the payments that a person has to decide about",
    description:
      "After a restored deployment was armed, these payouts, transfers and reversals could not be looked up at their providers; newest first. The token needs `payments:read`, too. Filters: `status`, `connector_id`.",
    ...LIST,
    answer: ok.page("A page of reviews", ReviewResponse, toView),
    handle: async ({ query, body, context, c }) => {
      await assertMay(c, "payments:read");
      return listReviews(context, toListQuery("payment-reviews", { query, body, c }));
    },
  }),
  reviews.get("/{reviewID}", {
    ...OPERATE,
    operationId: "florinGetPaymentReview",
    summary: "Read the review of a payment, with payments that may be meant",
    description: "The token needs `payments:read`, too.",
    params: Params,
    answer: ok.data("The review", ReviewDetails, toDetails),
    errors: [404],
    handle: async ({ params, context, c }) => {
      await assertMay(c, "payments:read");
      return readReview(context, params.reviewID);
    },
  }),
  reviews.post("/{reviewID}", {
    ...OPERATE,
    operationId: "florinDecidePaymentReview",
    summary: "Decide about a payment that could not be looked up",
    description:
      "The same decision again changes nothing. The token needs `payments:write`, too; with `FLORIN_PAYMENTS_FOUR_EYES`, the creator of the payment initiation is refused.",
    params: Params,
    body: z.object({
      decision: Decision,
      paymentReference: z.string().min(1).max(REFERENCE_LENGTH_MAX).optional().openapi({
        description:
          "The provider's reference of the payment, or of the refund for a reversal; required for `paid`, and refused otherwise",
      }),
      isUnknown: z.boolean().default(false).openapi({
        description:
          "Whether the connector has not brought the payment, so that `paid` stores one of this reference and of the whole amount. Refused otherwise, because a mistyped reference would store a payment that does not exist",
      }),
    }),
    answer: ok.data("The review", ReviewDetails, toDetails),
    errors: [404, 409],
    handle: async ({ params: { reviewID }, body, context, c }) => {
      await assertMay(c, "payments:write");
      const { decision, paymentReference, isUnknown } = body;
      await decideReview(context, reviewID, {
        decision,
        isUnknown,
        ...given({ paymentReference }),
      });
      return readReview(context, reviewID);
    },
  }),
);
