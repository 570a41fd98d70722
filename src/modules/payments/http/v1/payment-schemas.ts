import { z } from "@hono/zod-openapi";
import { PAYMENT_STATUSES } from "#modules/payments/core/enums.ts";
import { encodeConnectorId, encodePaymentId, lacksReference } from "#modules/payments/core/ids.ts";
import {
  LEGACY_STATUSES,
  LEGACY_TYPES,
  toLegacyStatus,
  toLegacyType,
} from "#modules/payments/core/legacy-statuses.ts";
import { isLegacyProvider, toLegacyProvider } from "#modules/payments/core/providers.ts";
import {
  fromLegacyScheme,
  LEGACY_SCHEMES,
  toLegacyScheme,
} from "#modules/payments/core/schemes.ts";
import { toPaymentId } from "#modules/payments/http/path-ids.ts";
import {
  PaymentFields,
  toPaymentBase,
  toRawPayment,
} from "#modules/payments/http/payment-requests.ts";
import { toRawView } from "#modules/payments/http/raw.ts";
import type { NewPayment } from "#modules/payments/payments/ingestion/create-payment.ts";
import type {
  PaymentAdjustment,
  PaymentWithAdjustments,
} from "#modules/payments/payments/payment.ts";
import { AppError } from "#platform/errors.ts";
import { BigInteger, MetadataSchema, TimestampOutput } from "#platform/http/index.ts";
import { stringifyJson } from "#platform/json.ts";
import { formatTimestamp } from "#platform/time.ts";

export const PaymentV1Request = PaymentFields.extend({
  scheme: z
    .string()
    .transform((text, context) => {
      const scheme = fromLegacyScheme(text);
      if (scheme !== undefined) return scheme;
      context.addIssue({ code: "custom", message: "is not a scheme" });
      return z.NEVER;
    })
    .openapi({ type: "string", enum: LEGACY_SCHEMES }),
  status: z.enum(PAYMENT_STATUSES),
}).openapi("PaymentV1Request");

/** A new payment with one adjustment, whose status and amounts are those of the request. */
export function toNewPaymentV1(body: z.output<typeof PaymentV1Request>): NewPayment {
  const { reference, createdAt, status, amount, asset, scheme, metadata } = body;
  const raw = stringifyJson(toRawPayment(body));
  return {
    ...toPaymentBase(body),
    initialAmount: amount,
    scheme,
    setsAmounts: false,
    adjustments: [{ reference, createdAt, status, amount, asset, metadata, raw }],
  };
}

/**
 * The payment to which metadata is added. The specification has a separate code, `VALIDATION`, for an id without a
 * reference.
 */
export const MetadataTarget = z
  .string()
  .transform((text) => {
    if (lacksReference(text)) {
      throw new AppError("VALIDATION", "the id of the payment has no reference");
    }
    return toPaymentId(text);
  })
  .openapi({ type: "string" });

const AdjustmentV1Response = z.object({
  reference: z.string(),
  createdAt: TimestampOutput,
  status: z.enum(LEGACY_STATUSES),
  amount: BigInteger,
  raw: z.record(z.string(), z.unknown()),
});

export const PaymentV1Response = z
  .object({
    id: z.string(),
    reference: z.string(),
    sourceAccountID: z.string().openapi({ description: "Empty for none." }),
    destinationAccountID: z.string().openapi({ description: "Empty for none." }),
    type: z.enum(LEGACY_TYPES),
    provider: z.string().optional().openapi({
      description: "Absent for the kinds of connectors that clients of this version do not know.",
    }),
    connectorID: z.string(),
    status: z.enum(LEGACY_STATUSES),
    initialAmount: BigInteger,
    amount: BigInteger,
    scheme: z.enum(LEGACY_SCHEMES),
    asset: z.string(),
    createdAt: TimestampOutput,
    raw: z.null(),
    adjustments: z.array(AdjustmentV1Response),
    metadata: MetadataSchema,
  })
  .openapi("PaymentV1");

export function toPaymentV1View(payment: PaymentWithAdjustments) {
  const { connector, reference, type, sourceAccountId = "", destinationAccountId = "" } = payment;
  const { provider } = connector.id;
  return {
    id: encodePaymentId({ connector: connector.id, reference, type }),
    reference,
    sourceAccountID: sourceAccountId,
    destinationAccountID: destinationAccountId,
    type: toLegacyType(type),
    ...(isLegacyProvider(provider) ? { provider: toLegacyProvider(provider) } : {}),
    connectorID: encodeConnectorId(connector.id),
    status: toLegacyStatus(payment.status),
    initialAmount: payment.initialAmount,
    amount: payment.amount,
    scheme: toLegacyScheme(payment.scheme),
    asset: payment.asset,
    createdAt: formatTimestamp(payment.createdAt),
    raw: null,
    adjustments: payment.adjustments.map(toAdjustmentV1View),
    metadata: payment.metadata,
  };
}

const toAdjustmentV1View = ({
  reference,
  createdAt,
  status,
  amount = 0n,
  raw,
}: PaymentAdjustment) => ({
  reference,
  createdAt: formatTimestamp(createdAt),
  status: toLegacyStatus(status),
  amount,
  raw: toRawView(raw),
});
