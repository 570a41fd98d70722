import { z } from "@hono/zod-openapi";
import type { Initiation, InitiationAdjustment } from "./initiation.ts";
import { paymentEvent } from "#modules/payments/common/events.ts";
import { INITIATION_STATUSES, INITIATION_TYPES } from "#modules/payments/core/enums.ts";
import { given } from "#modules/payments/core/given.ts";
import {
  encodeConnectorId,
  encodeOwnedId,
  encodePaymentId,
  encodeStatusChangeId,
  idempotencyKeyOf,
  type PaymentId,
  toOwnedJson,
  toPaymentJson,
} from "#modules/payments/core/ids.ts";
import type { EventTypeTable } from "#platform/events/event-types.ts";
import type { OutboxEvent } from "#platform/events/outbox-store.ts";
import { MetadataSchema, TimestampOutput } from "#platform/http/schemas.ts";
import { formatTimestamp, type Timestamp, ZERO_TIMESTAMP } from "#platform/time.ts";

const CONNECTOR_ID =
  "eyJQcm92aWRlciI6ImdlbmVyaWMiLCJSZWZlcmVuY2UiOiIxMTExMTExMS0yMjIyLTQzMzMtODQ0NC01NTU1NTU1NTU1NTUifQ";
const INITIATION_ID =
  "eyJDb25uZWN0b3JJRCI6eyJQcm92aWRlciI6ImdlbmVyaWMiLCJSZWZlcmVuY2UiOiIxMTExMTExMS0yMjIyLTQzMzMtODQ0NC01NTU1NTU1NTU1NTUifSwiUmVmZXJlbmNlIjoicG8tMSJ9";

/** The types of events of initiations. Their amounts are decimal texts. */
export const INITIATION_EVENT_TYPES = {
  SAVED_PAYMENT_INITIATION: {
    description: "A payment initiation was created.",
    payload: z.object({
      id: z.string(),
      connectorID: z.string(),
      provider: z.string(),
      reference: z.string(),
      createdAt: TimestampOutput,
      scheduledAt: TimestampOutput,
      description: z.string(),
      type: z.enum(INITIATION_TYPES),
      amount: z.string(),
      asset: z.string(),
      sourceAccountID: z.string().optional(),
      destinationAccountID: z.string().optional(),
      metadata: MetadataSchema.optional(),
    }),
    example: {
      id: INITIATION_ID,
      connectorID: CONNECTOR_ID,
      provider: "generic",
      reference: "po-1",
      createdAt: "2026-03-01T09:30:00Z",
      scheduledAt: "0001-01-01T00:00:00Z",
      description: "rent",
      type: "PAYOUT",
      amount: "1000",
      asset: "EUR/2",
    },
  },
  SAVED_PAYMENT_INITIATION_ADJUSTMENT: {
    description: "A payment initiation has a new adjustment, such as its first one.",
    payload: z.object({
      id: z.string(),
      paymentInitiationID: z.string(),
      status: z.enum(INITIATION_STATUSES),
      amount: z.string().optional(),
      asset: z.string().optional(),
      error: z.string().optional(),
      metadata: MetadataSchema.optional(),
    }),
    example: {
      id: "eyJDcmVhdGVkQXQiOiIyMDI2LTAzLTAxVDA5OjMwOjAwWiIsIlBheW1lbnRJbml0aWF0aW9uSUQiOnsiQ29ubmVjdG9ySUQiOnsiUHJvdmlkZXIiOiJnZW5lcmljIiwiUmVmZXJlbmNlIjoiMTExMTExMTEtMjIyMi00MzMzLTg0NDQtNTU1NTU1NTU1NTU1In0sIlJlZmVyZW5jZSI6InBvLTEifSwiU3RhdHVzIjoiUFJPQ0VTU0VEIn0",
      paymentInitiationID: INITIATION_ID,
      status: "PROCESSED",
    },
  },
  SAVED_PAYMENT_INITIATION_RELATED_PAYMENT: {
    description: "The provider has made a payment of a payment initiation, or of its reversal.",
    payload: z.object({ paymentInitiationID: z.string(), paymentID: z.string() }),
    example: {
      paymentInitiationID: INITIATION_ID,
      paymentID:
        "eyJDb25uZWN0b3JJRCI6eyJQcm92aWRlciI6ImdlbmVyaWMiLCJSZWZlcmVuY2UiOiIxMTExMTExMS0yMjIyLTQzMzMtODQ0NC01NTU1NTU1NTU1NTUifSwiUmVmZXJlbmNlIjoicG8tMSIsIlR5cGUiOiJQQVlPVVQifQ",
    },
  },
} as const satisfies EventTypeTable;

type EventType = keyof typeof INITIATION_EVENT_TYPES;

/** An event that is delivered in order among the events of its initiation. */
const inOrder = (
  { id }: Initiation,
  event: Omit<Parameters<typeof paymentEvent>[0], "connector">,
): OutboxEvent => ({
  event: paymentEvent({ ...event, connector: id.connector }),
  orderKey: `payment-initiation:${idempotencyKeyOf(toOwnedJson(id))}`,
});

export function savedInitiationEvent(initiation: Initiation): OutboxEvent {
  const { id, createdAt, scheduledAt, description, type, state, asset, metadata } = initiation;
  return inOrder(initiation, {
    type: "SAVED_PAYMENT_INITIATION" satisfies EventType,
    key: idempotencyKeyOf(toOwnedJson(id)),
    date: createdAt,
    payload: {
      id: encodeOwnedId(id),
      connectorID: encodeConnectorId(id.connector),
      provider: id.connector.provider,
      reference: id.reference,
      createdAt: formatTimestamp(createdAt),
      scheduledAt: formatTimestamp(scheduledAt ?? ZERO_TIMESTAMP),
      description,
      type,
      amount: state.amount.toString(),
      asset,
      ...given({
        sourceAccountID: initiation.source && encodeOwnedId(initiation.source),
        destinationAccountID: initiation.destination && encodeOwnedId(initiation.destination),
        metadata: Object.keys(metadata).length === 0 ? undefined : metadata,
      }),
    },
  });
}

export const adjustmentIdOf = (
  { id }: Pick<Initiation, "id">,
  { createdAt, status }: Pick<InitiationAdjustment, "createdAt" | "status">,
): string => encodeStatusChangeId("PaymentInitiationID", { id, createdAt, status });

export function savedAdjustmentEvent(
  initiation: Initiation,
  adjustment: Omit<InitiationAdjustment, "key">,
): OutboxEvent {
  const { createdAt, status, amount, error, metadata } = adjustment;
  const id = adjustmentIdOf(initiation, adjustment);
  return inOrder(initiation, {
    type: "SAVED_PAYMENT_INITIATION_ADJUSTMENT" satisfies EventType,
    key: idempotencyKeyOf({
      CreatedAt: formatTimestamp(createdAt),
      PaymentInitiationID: toOwnedJson(initiation.id),
      Status: status,
    }),
    date: createdAt,
    payload: {
      id,
      paymentInitiationID: encodeOwnedId(initiation.id),
      status,
      ...given({
        amount: amount?.toString(),
        asset: amount === undefined ? undefined : initiation.asset,
        error,
        metadata: Object.keys(metadata).length === 0 ? undefined : metadata,
      }),
    },
  });
}

export const relatedPaymentEvent = (
  initiation: Initiation,
  payment: PaymentId,
  date: Timestamp,
): OutboxEvent =>
  inOrder(initiation, {
    type: "SAVED_PAYMENT_INITIATION_RELATED_PAYMENT" satisfies EventType,
    key: idempotencyKeyOf({
      PaymentInitiationID: toOwnedJson(initiation.id),
      PaymentID: toPaymentJson(payment),
    }),
    date,
    payload: {
      paymentInitiationID: encodeOwnedId(initiation.id),
      paymentID: encodePaymentId(payment),
    },
  });
