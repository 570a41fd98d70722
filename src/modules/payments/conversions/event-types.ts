import { z } from "@hono/zod-openapi";
import { paymentEvent } from "#modules/payments/common/events.ts";
import type { ProviderConversion } from "#modules/payments/connectors/provider-orders.ts";
import { CONVERSION_STATUSES } from "#modules/payments/core/enums.ts";
import { given } from "#modules/payments/core/given.ts";
import {
  type ConnectorId,
  encodeConnectorId,
  encodeOwnedId,
  idempotencyKeyOf,
} from "#modules/payments/core/ids.ts";
import type { PlatformEvent } from "#platform/events/envelope.ts";
import type { EventTypeTable } from "#platform/events/event-types.ts";
import { MetadataSchema, TimestampOutput } from "#platform/http/schemas.ts";
import { parseJson } from "#platform/json.ts";
import { formatTimestamp, type Timestamp } from "#platform/time.ts";

/** An amount of an event, as a text of decimal digits. */
const Digits = z.string().openapi({ pattern: String.raw`^-?\d+$` });

export const CONVERSION_EVENT_TYPES = {
  SAVED_CONVERSION: {
    description: "A conversion of one asset into another has a new status.",
    payload: z.object({
      id: z.string(),
      connectorID: z.string(),
      provider: z.string(),
      reference: z.string(),
      createdAt: TimestampOutput,
      updatedAt: TimestampOutput,
      sourceAsset: z.string(),
      destinationAsset: z.string(),
      sourceAmount: Digits,
      destinationAmount: Digits.optional(),
      fee: Digits.optional(),
      feeAsset: z.string().optional(),
      status: z.enum(CONVERSION_STATUSES),
      sourceAccountID: z.string().optional(),
      destinationAccountID: z.string().optional(),
      metadata: MetadataSchema.optional(),
      raw: z.unknown(),
    }),
    example: {
      id: "eyJDb25uZWN0b3JJRCI6eyJQcm92aWRlciI6ImdlbmVyaWMiLCJSZWZlcmVuY2UiOiIxMTExMTExMS0yMjIyLTQzMzMtODQ0NC01NTU1NTU1NTU1NTUifSwiUmVmZXJlbmNlIjoiY29udi0xIn0",
      connectorID:
        "eyJQcm92aWRlciI6ImdlbmVyaWMiLCJSZWZlcmVuY2UiOiIxMTExMTExMS0yMjIyLTQzMzMtODQ0NC01NTU1NTU1NTU1NTUifQ",
      provider: "generic",
      reference: "conv-1",
      createdAt: "2026-07-01T10:00:00Z",
      updatedAt: "2026-07-01T10:00:05Z",
      sourceAsset: "EUR/2",
      destinationAsset: "BTC/8",
      sourceAmount: "150000",
      destinationAmount: "2500000",
      status: "COMPLETED",
      raw: { id: "conv-1" },
    },
  },
} as const satisfies EventTypeTable;

/** The event for a new status of a conversion, with the fields of the report. */
export function savedConversionEvent(
  connector: ConnectorId,
  conversion: ProviderConversion,
  date: Timestamp,
): PlatformEvent {
  const { reference, status, metadata, raw } = conversion;
  const id = encodeOwnedId({ connector, reference });
  const accountIdOf = (account: string | undefined) =>
    account === undefined ? undefined : encodeOwnedId({ connector, reference: account });
  return paymentEvent({
    type: "SAVED_CONVERSION" satisfies keyof typeof CONVERSION_EVENT_TYPES,
    connector,
    key: idempotencyKeyOf(id + status),
    date,
    payload: given({
      id,
      connectorID: encodeConnectorId(connector),
      provider: connector.provider,
      reference,
      createdAt: formatTimestamp(conversion.createdAt),
      updatedAt: formatTimestamp(conversion.updatedAt),
      sourceAsset: conversion.sourceAsset,
      destinationAsset: conversion.destinationAsset,
      sourceAmount: conversion.sourceAmount.toString(),
      destinationAmount: conversion.destinationAmount?.toString(),
      fee: conversion.fee?.toString(),
      feeAsset: conversion.feeAsset,
      status,
      sourceAccountID: accountIdOf(conversion.sourceReference),
      destinationAccountID: accountIdOf(conversion.destinationReference),
      metadata: Object.keys(metadata).length === 0 ? undefined : metadata,
      raw: parseJson(raw),
    }),
  });
}
