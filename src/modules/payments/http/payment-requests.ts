import { z } from "@hono/zod-openapi";
import { AssetInput, OptionalMetadata, ReferenceInput } from "./fields.ts";
import { ConnectorIdInput, OptionalAccountId } from "./path-ids.ts";
import { PAYMENT_TYPES } from "#modules/payments/core/enums.ts";
import { encodeConnectorId, encodeOwnedId } from "#modules/payments/core/ids.ts";
import type { NewPayment } from "#modules/payments/payments/ingestion/create-payment.ts";
import { BigIntegerInput, MetadataSchema, TimestampInput } from "#platform/http/index.ts";
import { formatTimestamp } from "#platform/time.ts";

/** The fields of a new payment that both versions of the API have. */
export const PaymentFields = z.object({
  reference: ReferenceInput,
  connectorID: ConnectorIdInput,
  createdAt: TimestampInput,
  type: z.enum(PAYMENT_TYPES),
  amount: BigIntegerInput,
  asset: AssetInput,
  sourceAccountID: OptionalAccountId,
  destinationAccountID: OptionalAccountId,
  metadata: OptionalMetadata,
});
type PaymentFields = z.output<typeof PaymentFields>;

/** The members of a new payment that follow from these fields. */
export function toPaymentBase({
  connectorID: connector,
  sourceAccountID: source,
  destinationAccountID: destination,
  ...fields
}: PaymentFields): Pick<NewPayment, "connector" | "source" | "destination"> & BaseFields {
  const { reference, createdAt, type, amount, asset, metadata } = fields;
  return {
    connector,
    reference,
    createdAt,
    type,
    amount,
    asset,
    metadata,
    ...(source === undefined ? {} : { source }),
    ...(destination === undefined ? {} : { destination }),
  };
}

type BaseFields = Pick<
  NewPayment,
  "reference" | "createdAt" | "type" | "amount" | "asset" | "metadata"
>;

/** The request without unknown fields, in its original form. */
export const toRawPayment = (body: PaymentFields): object => ({
  ...body,
  connectorID: encodeConnectorId(body.connectorID),
  createdAt: formatTimestamp(body.createdAt),
  sourceAccountID: body.sourceAccountID && encodeOwnedId(body.sourceAccountID),
  destinationAccountID: body.destinationAccountID && encodeOwnedId(body.destinationAccountID),
});

/** The metadata to add to a payment, as a map, or as a map in the member `metadata`. */
export const PaymentMetadataRequest = z
  .unknown()
  .transform((body) => (isWrapped(body) ? body.metadata : body))
  .pipe(z.unknown().refine((metadata) => !isEmpty(metadata), "metadata must be provided"))
  .pipe(MetadataSchema)
  .openapi({
    type: "object",
    properties: { metadata: { type: "object", additionalProperties: { type: "string" } } },
    description: '`{"metadata": {...}}`, or the map itself.',
  });

const isEmpty = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0;

/** Whether a body has its metadata in the member `metadata`. A text under this name is an entry of the map itself. */
const isWrapped = (body: unknown): body is { readonly metadata: unknown } =>
  typeof body === "object" &&
  body !== null &&
  Object.keys(body).length === 1 &&
  "metadata" in body &&
  typeof body.metadata !== "string";
