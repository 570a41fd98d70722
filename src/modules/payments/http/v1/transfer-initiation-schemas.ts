import { z } from "@hono/zod-openapi";
import { INITIATION_TYPES, type InitiationStatus } from "#modules/payments/core/enums.ts";
import {
  encodeConnectorId,
  encodeOwnedId,
  encodePaymentId,
  type OwnedId,
} from "#modules/payments/core/ids.ts";
import { LEGACY_STATUSES, toLegacyStatus } from "#modules/payments/core/legacy-statuses.ts";
import { toLegacyProvider } from "#modules/payments/core/providers.ts";
import { ReversalReferenceV1 } from "#modules/payments/http/fields.ts";
import { InitiationFields, ReversalFields } from "#modules/payments/http/initiation-requests.ts";
import {
  MovementProgressResponse,
  toMovementMember,
} from "#modules/payments/http/movement-progress.ts";
import { adjustmentIdOf } from "#modules/payments/initiations/event-types.ts";
import type { InitiationAdjustment } from "#modules/payments/initiations/initiation.ts";
import type { ShownInitiation } from "#modules/payments/movements/progress.ts";
import type { Payment } from "#modules/payments/payments/payment.ts";
import { BigInteger, MetadataSchema, TimestampOutput } from "#platform/http/index.ts";
import { formatTimestamp, ZERO_TIMESTAMP } from "#platform/time.ts";

/** The statuses that clients of version 1 know. */
const STATUSES = [
  "WAITING_FOR_VALIDATION",
  "PROCESSING",
  "PROCESSED",
  "FAILED",
  "REJECTED",
  "REVERSE_PROCESSING",
  "REVERSE_FAILED",
  "REVERSED",
] as const;
type Status = (typeof STATUSES)[number];

export const TransferInitiationRequest = InitiationFields.extend({
  validated: z.boolean().nullish().openapi({
    description: "Whether it is sent without an approval. The answer then waits for the outcome.",
  }),
}).openapi("TransferInitiationRequest");

export const StatusRequest = z
  .object({ status: z.enum(["VALIDATED", "REJECTED"], { error: "invalid status" }) })
  .openapi("TransferInitiationStatusRequest");

export const TransferReversalRequest = ReversalFields.extend({
  reference: ReversalReferenceV1,
}).openapi("TransferInitiationReversalRequest");

export const TransferInitiationResponse = z
  .object({
    id: z.string(),
    reference: z.string(),
    createdAt: TimestampOutput,
    scheduledAt: TimestampOutput.openapi({ description: "The zero time if it is not set." }),
    description: z.string(),
    sourceAccountID: z.string().openapi({ description: "Empty for none." }),
    destinationAccountID: z.string().openapi({ description: "Empty for none." }),
    connectorID: z.string(),
    provider: z.string(),
    type: z.enum(INITIATION_TYPES),
    amount: BigInteger,
    initialAmount: BigInteger,
    asset: z.string(),
    status: z.enum(STATUSES),
    error: z.string().openapi({ description: "Empty for none." }),
    metadata: MetadataSchema,
    movement: MovementProgressResponse.optional(),
  })
  .openapi("TransferInitiation");

export const FullTransferInitiationResponse = TransferInitiationResponse.extend({
  relatedPayments: z.array(
    z.object({
      paymentID: z.string(),
      createdAt: TimestampOutput,
      status: z.enum(LEGACY_STATUSES),
      error: z.string().openapi({ description: "Empty, because payments have no errors." }),
    }),
  ),
  relatedAdjustments: z
    .array(
      z.object({
        adjustmentID: z.string(),
        createdAt: TimestampOutput,
        status: z.enum(STATUSES),
        error: z.string().openapi({ description: "Empty for none." }),
        metadata: MetadataSchema,
      }),
    )
    .openapi({ description: "Newest first." }),
}).openapi("TransferInitiationWithRelations");

export const toTransferInitiationView = (initiation: ShownInitiation) => {
  const { id, createdAt, scheduledAt, description, type, state, asset, metadata } = initiation;
  return {
    id: encodeOwnedId(id),
    reference: id.reference,
    createdAt: formatTimestamp(createdAt),
    scheduledAt: formatTimestamp(scheduledAt ?? ZERO_TIMESTAMP),
    description,
    sourceAccountID: idOrEmpty(initiation.source),
    destinationAccountID: idOrEmpty(initiation.destination),
    connectorID: encodeConnectorId(id.connector),
    provider: toLegacyProvider(id.connector.provider),
    type,
    amount: state.amount,
    initialAmount: state.amount,
    asset,
    // Clients of version 1 know no status for initiations that wait for their time or whose state is unknown.
    status: legacyStatusOf(state.status) ?? ("PROCESSING" as const),
    error: initiation.error ?? "",
    metadata,
    ...toMovementMember(initiation.progress),
  };
};

export const toFullTransferInitiationView = (
  initiation: ShownInitiation,
  relations: {
    readonly payments: readonly Payment[];
    readonly adjustments: readonly InitiationAdjustment[];
  },
) => ({
  ...toTransferInitiationView(initiation),
  relatedPayments: relations.payments.map(({ connector, reference, type, createdAt, status }) => ({
    paymentID: encodePaymentId({ connector: connector.id, reference, type }),
    createdAt: formatTimestamp(createdAt),
    status: toLegacyStatus(status),
    // The official command line reads it.
    error: "",
  })),
  relatedAdjustments: relations.adjustments.flatMap((adjustment) => {
    const status = legacyStatusOf(adjustment.status);
    if (status === undefined) return [];
    const { createdAt, error = "", metadata } = adjustment;
    const adjustmentID = adjustmentIdOf(initiation, adjustment);
    return [{ adjustmentID, createdAt: formatTimestamp(createdAt), status, error, metadata }];
  }),
});

const idOrEmpty = (id: OwnedId | undefined): string => (id === undefined ? "" : encodeOwnedId(id));

const legacyStatusOf = (status: InitiationStatus): Status | undefined =>
  STATUSES.find((known) => known === status);
