import { z } from "@hono/zod-openapi";
import { INITIATION_STATUSES, INITIATION_TYPES } from "#modules/payments/core/enums.ts";
import { given } from "#modules/payments/core/given.ts";
import { encodeConnectorId, encodeOwnedId, type OwnedId } from "#modules/payments/core/ids.ts";
import { ReferenceInput } from "#modules/payments/http/fields.ts";
import { InitiationFields, ReversalFields } from "#modules/payments/http/initiation-requests.ts";
import {
  MovementProgressResponse,
  toMovementMember,
} from "#modules/payments/http/movement-progress.ts";
import { adjustmentIdOf } from "#modules/payments/initiations/event-types.ts";
import type { Initiation, InitiationAdjustment } from "#modules/payments/initiations/initiation.ts";
import type { ShownInitiation } from "#modules/payments/movements/progress.ts";
import { BigInteger, MetadataSchema, TimestampOutput } from "#platform/http/index.ts";
import { formatTimestamp, ZERO_TIMESTAMP } from "#platform/time.ts";

export const InitiationRequest = InitiationFields.extend({ reference: ReferenceInput }).openapi(
  "PaymentInitiationRequest",
);

export const ReversalRequest = ReversalFields.openapi("PaymentInitiationReversalRequest");

export const InitiationResponse = z
  .object({
    id: z.string(),
    connectorID: z.string(),
    provider: z.string(),
    reference: z.string(),
    createdAt: TimestampOutput,
    scheduledAt: TimestampOutput.openapi({ description: "The zero time if it is not set." }),
    description: z.string(),
    type: z.enum(INITIATION_TYPES),
    sourceAccountID: z.string().optional(),
    destinationAccountID: z.string().optional(),
    amount: BigInteger,
    asset: z.string(),
    metadata: MetadataSchema,
    status: z.enum(INITIATION_STATUSES),
    error: z.string().optional(),
    movement: MovementProgressResponse.optional(),
    createdBy: z
      .string()
      .openapi({ description: "Florin's own: the principal who has created it." }),
    needsSecondPerson: z.boolean().openapi({
      description:
        "Florin's own: whether `createdBy` may neither approve nor reverse it, because `FLORIN_PAYMENTS_FOUR_EYES` is set.",
    }),
  })
  .openapi("PaymentInitiation");

export const InitiationAdjustmentResponse = z
  .object({
    id: z.string(),
    createdAt: TimestampOutput,
    status: z.enum(INITIATION_STATUSES),
    amount: BigInteger.optional(),
    asset: z.string().optional(),
    error: z.string().optional(),
    metadata: MetadataSchema.openapi({
      description:
        "`approvedBy` or `rejectedBy` names the principal who has approved or rejected it.",
    }),
  })
  .openapi("PaymentInitiationAdjustment");

export const toInitiationView = (initiation: ShownInitiation) => {
  const { id, createdAt, scheduledAt, description, type, state, asset, metadata } = initiation;
  return {
    id: encodeOwnedId(id),
    connectorID: encodeConnectorId(id.connector),
    provider: id.connector.provider,
    reference: id.reference,
    createdAt: formatTimestamp(createdAt),
    scheduledAt: formatTimestamp(scheduledAt ?? ZERO_TIMESTAMP),
    description,
    type,
    amount: state.amount,
    asset,
    metadata,
    status: state.status,
    createdBy: initiation.creator.subject,
    needsSecondPerson: initiation.needsSecondPerson,
    ...given({
      sourceAccountID: optionalId(initiation.source),
      destinationAccountID: optionalId(initiation.destination),
      error: initiation.error,
    }),
    ...toMovementMember(initiation.progress),
  };
};

const optionalId = (id: OwnedId | undefined): string | undefined =>
  id === undefined ? undefined : encodeOwnedId(id);

export const toAdjustmentView = (initiation: Initiation, adjustment: InitiationAdjustment) => {
  const { createdAt, status, amount, error, metadata } = adjustment;
  return {
    id: adjustmentIdOf(initiation, adjustment),
    createdAt: formatTimestamp(createdAt),
    status,
    metadata,
    ...given({ amount, asset: amount === undefined ? undefined : initiation.asset, error }),
  };
};
