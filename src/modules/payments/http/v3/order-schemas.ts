import { z } from "@hono/zod-openapi";
import {
  ORDER_DIRECTIONS,
  ORDER_STATUSES,
  ORDER_TYPES,
  TIMES_IN_FORCE,
} from "#modules/payments/core/enums.ts";
import { given } from "#modules/payments/core/given.ts";
import {
  encodeConnectorId,
  encodeOrderAdjustmentId,
  encodeOwnedId,
} from "#modules/payments/core/ids.ts";
import { toRawView } from "#modules/payments/http/raw.ts";
import type {
  TradeOrder,
  OrderAdjustment,
  OrderWithAdjustments,
} from "#modules/payments/orders/order.ts";
import { BigInteger, MetadataSchema, TimestampOutput } from "#platform/http/index.ts";
import { formatTimestamp, optionalTimestamp } from "#platform/time.ts";

const OrderAdjustmentResponse = z.object({
  id: z.string(),
  reference: z.string(),
  createdAt: TimestampOutput,
  status: z.enum(ORDER_STATUSES),
  baseQuantityFilled: BigInteger.optional(),
  fee: BigInteger.optional(),
  feeAsset: z.string().optional(),
  metadata: MetadataSchema,
  raw: z.record(z.string(), z.unknown()),
});

export const OrderResponse = z
  .object({
    id: z.string(),
    connectorID: z.string(),
    provider: z.string(),
    reference: z.string(),
    clientOrderID: z.string().optional(),
    createdAt: TimestampOutput,
    updatedAt: TimestampOutput,
    direction: z.enum(ORDER_DIRECTIONS),
    sourceAsset: z.string(),
    destinationAsset: z.string(),
    type: z.enum(ORDER_TYPES),
    status: z.enum(ORDER_STATUSES).openapi({ description: "The status of the newest adjustment." }),
    baseQuantityOrdered: BigInteger,
    baseQuantityFilled: BigInteger.optional(),
    limitPrice: BigInteger.optional(),
    stopPrice: BigInteger.optional(),
    timeInForce: z.enum(TIMES_IN_FORCE),
    expiresAt: TimestampOutput.optional(),
    quoteAmount: BigInteger.optional(),
    quoteAsset: z.string().optional(),
    fee: BigInteger.optional(),
    feeAsset: z.string().optional(),
    averageFillPrice: BigInteger.optional(),
    priceAsset: z.string().optional(),
    sourceAccountID: z.string().optional(),
    destinationAccountID: z.string().optional(),
    metadata: MetadataSchema,
    adjustments: z
      .array(OrderAdjustmentResponse)
      .optional()
      .openapi({ description: "Its states, oldest first; not in lists." }),
  })
  .openapi("Order");

export function toOrderView(order: TradeOrder | OrderWithAdjustments) {
  const { id, sourceAccount, destinationAccount, clientOrderId } = order;
  const { connector, reference } = id;
  return {
    id: encodeOwnedId(id),
    connectorID: encodeConnectorId(connector),
    provider: connector.provider,
    reference,
    ...given({ clientOrderID: clientOrderId }),
    createdAt: formatTimestamp(order.createdAt),
    updatedAt: formatTimestamp(order.updatedAt),
    direction: order.direction,
    sourceAsset: order.sourceAsset,
    destinationAsset: order.destinationAsset,
    type: order.type,
    status: order.status,
    baseQuantityOrdered: order.baseQuantityOrdered,
    timeInForce: order.timeInForce,
    ...optionalTimestamp("expiresAt", order.expiresAt),
    ...given({
      baseQuantityFilled: order.baseQuantityFilled,
      limitPrice: order.limitPrice,
      stopPrice: order.stopPrice,
      quoteAmount: order.quoteAmount,
      quoteAsset: order.quoteAsset,
      fee: order.fee,
      feeAsset: order.feeAsset,
      averageFillPrice: order.averageFillPrice,
      priceAsset: order.priceAsset,
      sourceAccountID: sourceAccount && encodeOwnedId(sourceAccount),
      destinationAccountID: destinationAccount && encodeOwnedId(destinationAccount),
    }),
    metadata: order.metadata,
    ...("adjustments" in order ? { adjustments: order.adjustments.map(toAdjustmentView) } : {}),
  };
}

const toAdjustmentView = (adjustment: OrderAdjustment) => ({
  id: encodeOrderAdjustmentId(adjustment),
  reference: adjustment.reference,
  createdAt: formatTimestamp(adjustment.createdAt),
  status: adjustment.status,
  ...given({
    baseQuantityFilled: adjustment.baseQuantityFilled,
    fee: adjustment.fee,
    feeAsset: adjustment.feeAsset,
  }),
  metadata: adjustment.metadata,
  raw: toRawView(adjustment.raw),
});
