import { z } from "@hono/zod-openapi";
import type { ReportedAdjustment, PaymentEnd, PaymentReport } from "./report.ts";
import { paymentEvent, rawDataOf } from "#modules/payments/common/events.ts";
import { PAYMENT_SCHEMES, PAYMENT_STATUSES, PAYMENT_TYPES } from "#modules/payments/core/enums.ts";
import {
  type ConnectorId,
  encodeConnectorId,
  encodePaymentId,
  idempotencyKeyOf,
  type PaymentId,
  toPaymentAdjustmentJson,
} from "#modules/payments/core/ids.ts";
import type { EventTypeTable } from "#platform/events/event-types.ts";
import type { OutboxEvent } from "#platform/events/outbox-store.ts";
import { MetadataSchema, TimestampOutput } from "#platform/http/schemas.ts";
import { formatTimestamp, type Timestamp } from "#platform/time.ts";

const Digits = z.string().openapi({ description: "An integer in decimal digits." });
const EXAMPLE_ID =
  "eyJDb25uZWN0b3JJRCI6eyJQcm92aWRlciI6Im1vbmV5Y29ycCIsIlJlZmVyZW5jZSI6IjdkNGU1MjM3LTNjMDktNDUwZS04ODY5LTI2YzA2MGFmMjM3NyJ9LCJSZWZlcmVuY2UiOiJ0ZXN0IiwiVHlwZSI6IlBBWS1JTiJ9";

export const PAYMENT_EVENT_TYPES = {
  SAVED_PAYMENT: {
    description:
      "A payment has a new adjustment. The status is that of the adjustment, and the amounts are those that were reported with it.",
    payload: z.object({
      id: z.string(),
      connectorID: z.string(),
      provider: z.string(),
      reference: z.string(),
      createdAt: TimestampOutput,
      type: z.enum(PAYMENT_TYPES),
      status: z.enum(PAYMENT_STATUSES),
      scheme: z.enum(PAYMENT_SCHEMES),
      asset: z.string(),
      rawData: z.unknown().openapi({ description: "Null if it is long." }),
      initialAmount: Digits,
      amount: Digits,
      sourceAccountID: z.string().optional(),
      destinationAccountID: z.string().optional(),
      metadata: MetadataSchema.optional(),
      links: z
        .array(z.object({ name: z.string(), uri: z.string() }))
        .optional()
        .openapi({
          description:
            "The accounts. Without `FLORIN_PUBLIC_URL`, each URI is a path of this deployment.",
        }),
    }),
    example: {
      id: EXAMPLE_ID,
      connectorID:
        "eyJQcm92aWRlciI6Im1vbmV5Y29ycCIsIlJlZmVyZW5jZSI6IjdkNGU1MjM3LTNjMDktNDUwZS04ODY5LTI2YzA2MGFmMjM3NyJ9",
      provider: "moneycorp",
      reference: "test",
      createdAt: "2026-03-01T09:30:00Z",
      type: "PAY-IN",
      status: "SUCCEEDED",
      scheme: "SEPA_CREDIT",
      asset: "EUR/2",
      rawData: { id: "test" },
      initialAmount: "1000",
      amount: "1000",
      metadata: { order: "1789" },
    },
  },
  SAVED_PAYMENT_METADATA: {
    description:
      "A request has added to the metadata of a payment, or replaced values of it; the payload has what it gave.",
    payload: z.object({
      id: z.string(),
      connectorID: z.string(),
      provider: z.string(),
      metadata: MetadataSchema,
    }),
    example: {
      id: EXAMPLE_ID,
      connectorID:
        "eyJQcm92aWRlciI6Im1vbmV5Y29ycCIsIlJlZmVyZW5jZSI6IjdkNGU1MjM3LTNjMDktNDUwZS04ODY5LTI2YzA2MGFmMjM3NyJ9",
      provider: "moneycorp",
      metadata: { order: "1790" },
    },
  },
  DELETED_PAYMENT: {
    description: "The provider has withdrawn a payment, which is deleted.",
    payload: z.object({ id: z.string() }),
    example: { id: EXAMPLE_ID },
  },
} as const satisfies EventTypeTable;

/** The data of an event besides the report and the adjustment. */
export interface PaymentEventContext {
  readonly connector: ConnectorId;
  readonly date: Timestamp;
  /** Undefined if the deployment does not know the URL under which clients reach it. */
  readonly publicUrl: string | undefined;
  /** The number of triggers that led to the adjustment; absent for 0. */
  readonly causationDepth?: number;
}

/** The event for a new adjustment. */
export function savedPaymentEvent(
  report: PaymentReport,
  adjustment: ReportedAdjustment,
  { connector, date, publicUrl, causationDepth = 0 }: PaymentEventContext,
): OutboxEvent {
  const { reference, type, scheme, asset, source, destination, metadata } = report;
  const id: PaymentId = { connector, reference, type };
  const event = paymentEvent({
    type: "SAVED_PAYMENT" satisfies keyof typeof PAYMENT_EVENT_TYPES,
    connector,
    key: idempotencyKeyOf(toPaymentAdjustmentJson({ ...adjustment, payment: id })),
    date,
    payload: {
      id: encodePaymentId(id),
      connectorID: encodeConnectorId(connector),
      provider: connector.provider,
      reference,
      createdAt: formatTimestamp(report.createdAt),
      type,
      status: adjustment.status,
      scheme,
      asset,
      rawData: rawDataOf(adjustment.raw),
      initialAmount: report.initialAmount.toString(),
      amount: report.amount.toString(),
      ...(source === undefined ? {} : { sourceAccountID: source.id }),
      ...(destination === undefined ? {} : { destinationAccountID: destination.id }),
      ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
      ...linksOf({ source, destination }, publicUrl),
    },
  });
  return { event: causationDepth === 0 ? event : { ...event, causationDepth } };
}

function linksOf(
  { source, destination }: Record<"source" | "destination", PaymentEnd | undefined>,
  publicUrl = "",
) {
  const links = [
    { name: "source_account", end: source },
    { name: "destination_account", end: destination },
  ].flatMap(({ name, end }) =>
    end === undefined ? [] : [{ name, uri: `${publicUrl}/api/payments/v3/accounts/${end.id}` }],
  );
  return links.length === 0 ? {} : { links };
}

/** The event for metadata that a request has given a payment. Each request has an event of its own. */
export function savedPaymentMetadataEvent(
  id: PaymentId,
  metadata: Readonly<Record<string, string>>,
  { changeId, date }: { readonly changeId: string; readonly date: Timestamp },
): OutboxEvent {
  const encoded = encodePaymentId(id);
  const event = paymentEvent({
    type: "SAVED_PAYMENT_METADATA" satisfies keyof typeof PAYMENT_EVENT_TYPES,
    connector: id.connector,
    key: `metadata:${encoded}:${changeId}`,
    date,
    payload: {
      id: encoded,
      connectorID: encodeConnectorId(id.connector),
      provider: id.connector.provider,
      metadata,
    },
  });
  return { event };
}

/** The event for a deleted payment. */
export function deletedPaymentEvent(id: PaymentId, date: Timestamp): OutboxEvent {
  const encoded = encodePaymentId(id);
  const event = paymentEvent({
    type: "DELETED_PAYMENT" satisfies keyof typeof PAYMENT_EVENT_TYPES,
    connector: id.connector,
    key: `delete:${encoded}`,
    date,
    payload: { id: encoded },
  });
  return { event };
}
