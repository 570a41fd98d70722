import { z } from "@hono/zod-openapi";
import { paymentEvent } from "#modules/payments/common/events.ts";
import type { ProviderOrder } from "#modules/payments/connectors/provider-orders.ts";
import {
  ORDER_DIRECTIONS,
  ORDER_STATUSES,
  ORDER_TYPES,
  TIMES_IN_FORCE,
} from "#modules/payments/core/enums.ts";
import { given } from "#modules/payments/core/given.ts";
import {
  type ConnectorId,
  encodeConnectorId,
  encodeOwnedId,
  idempotencyKeyOf,
  toOrderAdjustmentJson,
} from "#modules/payments/core/ids.ts";
import type { PlatformEvent } from "#platform/events/envelope.ts";
import type { EventTypeTable } from "#platform/events/event-types.ts";
import { MetadataSchema, TimestampOutput } from "#platform/http/schemas.ts";
import { parseJson } from "#platform/json.ts";
import { formatTimestamp, type Timestamp } from "#platform/time.ts";

/** An amount of an event, as a text of decimal digits. */
const Digits = z.string().openapi({ pattern: String.raw`^-?\d+$` });

export const ORDER_EVENT_TYPES = {
  SAVED_ORDER: {
    description: "An order at an exchange has a new state.",
    payload: z.object({
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
      status: z.enum(ORDER_STATUSES),
      baseQuantityOrdered: Digits,
      baseQuantityFilled: Digits.optional(),
      limitPrice: Digits.optional(),
      stopPrice: Digits.optional(),
      timeInForce: z.enum(TIMES_IN_FORCE),
      expiresAt: TimestampOutput.optional(),
      quoteAmount: Digits.optional(),
      quoteAsset: z.string().optional(),
      fee: Digits.optional(),
      feeAsset: z.string().optional(),
      averageFillPrice: Digits.optional(),
      priceAsset: z.string().optional(),
      sourceAccountID: z.string().optional(),
      destinationAccountID: z.string().optional(),
      metadata: MetadataSchema.optional(),
      rawData: z.unknown(),
    }),
    example: {
      id: "eyJDb25uZWN0b3JJRCI6eyJQcm92aWRlciI6ImdlbmVyaWMiLCJSZWZlcmVuY2UiOiIxMTExMTExMS0yMjIyLTQzMzMtODQ0NC01NTU1NTU1NTU1NTUifSwiUmVmZXJlbmNlIjoib3JkZXItMSJ9",
      connectorID:
        "eyJQcm92aWRlciI6ImdlbmVyaWMiLCJSZWZlcmVuY2UiOiIxMTExMTExMS0yMjIyLTQzMzMtODQ0NC01NTU1NTU1NTU1NTUifQ",
      provider: "generic",
      reference: "order-1",
      createdAt: "2026-07-01T10:00:00Z",
      updatedAt: "2026-07-01T10:05:00Z",
      direction: "BUY",
      sourceAsset: "EUR/2",
      destinationAsset: "BTC/8",
      type: "LIMIT",
      status: "PARTIALLY_FILLED",
      baseQuantityOrdered: "150000000",
      baseQuantityFilled: "50000000",
      limitPrice: "5000000",
      timeInForce: "GOOD_UNTIL_CANCELLED",
      rawData: { id: "order-1" },
    },
  },
} as const satisfies EventTypeTable;

/** The event for a new state of an order, with the fields of the report. */
export function savedOrderEvent(
  connector: ConnectorId,
  order: ProviderOrder,
  date: Timestamp,
): PlatformEvent {
  const { raw, metadata, reference, sourceReference, destinationReference, ...fields } = order;
  const id = { connector, reference };
  const accountIdOf = (account: string | undefined) =>
    account === undefined ? undefined : encodeOwnedId({ connector, reference: account });
  return paymentEvent({
    type: "SAVED_ORDER" satisfies keyof typeof ORDER_EVENT_TYPES,
    connector,
    key: idempotencyKeyOf(toOrderAdjustmentJson({ ...order, order: id })),
    date,
    payload: given({
      id: encodeOwnedId(id),
      connectorID: encodeConnectorId(connector),
      provider: connector.provider,
      reference,
      clientOrderID: fields.clientOrderId,
      createdAt: formatTimestamp(fields.createdAt),
      updatedAt: formatTimestamp(fields.updatedAt),
      direction: fields.direction,
      sourceAsset: fields.sourceAsset,
      destinationAsset: fields.destinationAsset,
      type: fields.type,
      status: fields.status,
      baseQuantityOrdered: fields.baseQuantityOrdered.toString(),
      baseQuantityFilled: fields.baseQuantityFilled?.toString(),
      limitPrice: fields.limitPrice?.toString(),
      stopPrice: fields.stopPrice?.toString(),
      timeInForce: fields.timeInForce,
      expiresAt: fields.expiresAt === undefined ? undefined : formatTimestamp(fields.expiresAt),
      quoteAmount: fields.quoteAmount?.toString(),
      quoteAsset: fields.quoteAsset,
      fee: fields.fee?.toString(),
      feeAsset: fields.feeAsset,
      averageFillPrice: fields.averageFillPrice?.toString(),
      priceAsset: fields.priceAsset,
      sourceAccountID: accountIdOf(sourceReference),
      destinationAccountID: accountIdOf(destinationReference),
      metadata: Object.keys(metadata).length === 0 ? undefined : metadata,
      rawData: parseJson(raw),
    }),
  });
}
