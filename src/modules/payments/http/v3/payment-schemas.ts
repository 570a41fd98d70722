import { z } from "@hono/zod-openapi";
import { PAYMENT_SCHEMES, PAYMENT_STATUSES, PAYMENT_TYPES } from "#modules/payments/core/enums.ts";
import { given } from "#modules/payments/core/given.ts";
import {
  encodeConnectorId,
  encodePaymentAdjustmentId,
  encodePaymentId,
  type PaymentId,
} from "#modules/payments/core/ids.ts";
import { AssetInput, OptionalMetadata, ReferenceInput } from "#modules/payments/http/fields.ts";
import { PaymentFields, toPaymentBase } from "#modules/payments/http/payment-requests.ts";
import { toRawView } from "#modules/payments/http/raw.ts";
import type { NewPayment } from "#modules/payments/payments/ingestion/create-payment.ts";
import type {
  Payment,
  PaymentAdjustment,
  PaymentWithAdjustments,
} from "#modules/payments/payments/payment.ts";
import {
  BigInteger,
  BigIntegerInput,
  MetadataSchema,
  TimestampInput,
  TimestampOutput,
} from "#platform/http/index.ts";
import { stringifyJson } from "#platform/json.ts";
import { formatTimestamp } from "#platform/time.ts";

const AdjustmentRequest = z.object({
  reference: ReferenceInput,
  createdAt: TimestampInput,
  status: z.enum(PAYMENT_STATUSES),
  amount: BigIntegerInput,
  asset: AssetInput,
  metadata: OptionalMetadata,
});

export const PaymentRequest = PaymentFields.extend({
  initialAmount: BigIntegerInput,
  scheme: z.enum(PAYMENT_SCHEMES),
  adjustments: z.array(AdjustmentRequest).min(1, "must contain at least 1 item"),
}).openapi("PaymentRequest");

export function toNewPayment(body: z.output<typeof PaymentRequest>): NewPayment {
  return {
    ...toPaymentBase(body),
    initialAmount: body.initialAmount,
    scheme: body.scheme,
    setsAmounts: true,
    adjustments: body.adjustments.map((adjustment) => ({
      ...adjustment,
      raw: stringifyJson({ ...adjustment, createdAt: formatTimestamp(adjustment.createdAt) }),
    })),
  };
}

const AdjustmentResponse = z.object({
  id: z.string(),
  reference: z.string(),
  createdAt: TimestampOutput,
  status: z.enum(PAYMENT_STATUSES),
  amount: BigInteger.optional(),
  asset: z.string().optional(),
  metadata: MetadataSchema,
  raw: z.record(z.string(), z.unknown()),
});

export const PaymentResponse = z
  .object({
    id: z.string(),
    connectorID: z.string(),
    provider: z.string(),
    reference: z.string(),
    createdAt: TimestampOutput,
    type: z.enum(PAYMENT_TYPES),
    initialAmount: BigInteger,
    amount: BigInteger,
    asset: z.string(),
    scheme: z.enum(PAYMENT_SCHEMES),
    status: z
      .enum(PAYMENT_STATUSES)
      .openapi({ description: "The status of the newest adjustment." }),
    sourceAccountID: z.string().optional(),
    destinationAccountID: z.string().optional(),
    psuID: z.string().optional(),
    openBankingConnectionID: z.string().optional(),
    metadata: MetadataSchema,
    adjustments: z
      .array(AdjustmentResponse)
      .optional()
      .openapi({ description: "Newest first; absent in lists." }),
  })
  .openapi("Payment");

export function toPaymentView(payment: Payment) {
  const { connector, reference, type } = payment;
  return {
    id: encodePaymentId({ connector: connector.id, reference, type }),
    connectorID: encodeConnectorId(connector.id),
    provider: connector.id.provider,
    reference,
    createdAt: formatTimestamp(payment.createdAt),
    type,
    initialAmount: payment.initialAmount,
    amount: payment.amount,
    asset: payment.asset,
    scheme: payment.scheme,
    status: payment.status,
    ...given({
      sourceAccountID: payment.sourceAccountId,
      destinationAccountID: payment.destinationAccountId,
      psuID: payment.psuId,
      openBankingConnectionID: payment.connectionId,
    }),
    metadata: payment.metadata,
  };
}

export function toFullPaymentView(payment: PaymentWithAdjustments) {
  const { connector, reference, type } = payment;
  const id: PaymentId = { connector: connector.id, reference, type };
  return {
    ...toPaymentView(payment),
    adjustments: payment.adjustments.map((adjustment) => toAdjustmentView(id, adjustment)),
  };
}

const toAdjustmentView = (payment: PaymentId, adjustment: PaymentAdjustment) => ({
  id: encodePaymentAdjustmentId({ ...adjustment, payment }),
  reference: adjustment.reference,
  createdAt: formatTimestamp(adjustment.createdAt),
  status: adjustment.status,
  ...given({ amount: adjustment.amount, asset: adjustment.asset }),
  metadata: adjustment.metadata,
  raw: toRawView(adjustment.raw),
});
