import { z } from "@hono/zod-openapi";
import type { Conversion } from "#modules/payments/conversions/conversion.ts";
import { listConversions } from "#modules/payments/conversions/list.ts";
import { getConversion } from "#modules/payments/conversions/store.ts";
import { CONVERSION_STATUSES } from "#modules/payments/core/enums.ts";
import { given } from "#modules/payments/core/given.ts";
import { encodeConnectorId, encodeOwnedId } from "#modules/payments/core/ids.ts";
import { LIST, listing } from "#modules/payments/http/lists.ts";
import { ownedIdParam } from "#modules/payments/http/path-ids.ts";
import { toRawView } from "#modules/payments/http/raw.ts";
import {
  BigInteger,
  MetadataSchema,
  ok,
  operations,
  registration,
  TimestampOutput,
} from "#platform/http/index.ts";
import { formatTimestamp } from "#platform/time.ts";

const conversions = operations({
  path: "/v3/conversions",
  tags: ["Orders and conversions"],
  scope: "payments",
});

const ConversionResponse = z
  .object({
    id: z.string(),
    connectorID: z.string(),
    provider: z.string(),
    reference: z.string(),
    createdAt: TimestampOutput,
    updatedAt: TimestampOutput,
    sourceAsset: z.string(),
    destinationAsset: z.string(),
    sourceAmount: BigInteger,
    destinationAmount: BigInteger.optional(),
    fee: BigInteger.optional(),
    feeAsset: z.string().optional(),
    status: z.enum(CONVERSION_STATUSES),
    sourceAccountID: z.string().optional(),
    destinationAccountID: z.string().optional(),
    metadata: MetadataSchema,
    raw: z.record(z.string(), z.unknown()),
  })
  .openapi("Conversion");

const toConversionView = (conversion: Conversion) => ({
  id: encodeOwnedId(conversion.id),
  connectorID: encodeConnectorId(conversion.id.connector),
  provider: conversion.id.connector.provider,
  reference: conversion.id.reference,
  createdAt: formatTimestamp(conversion.createdAt),
  updatedAt: formatTimestamp(conversion.updatedAt),
  sourceAsset: conversion.sourceAsset,
  destinationAsset: conversion.destinationAsset,
  sourceAmount: conversion.sourceAmount,
  status: conversion.status,
  ...given({
    destinationAmount: conversion.destinationAmount,
    fee: conversion.fee,
    feeAsset: conversion.feeAsset,
    sourceAccountID: conversion.sourceAccount && encodeOwnedId(conversion.sourceAccount),
    destinationAccountID:
      conversion.destinationAccount && encodeOwnedId(conversion.destinationAccount),
  }),
  metadata: conversion.metadata,
  raw: toRawView(conversion.raw),
});

export const registerConversions = registration(
  conversions.get("", {
    operationId: "v3ListConversions",
    summary: "List conversions",
    description:
      "Filters: `id`, `reference`, `connector_id`, `source_asset`, `destination_asset`, `status`, `source_account_id`, `destination_account_id`, `source_amount`, `destination_amount`, `metadata[key]`.",
    ...LIST,
    answer: ok.page("A page of conversions", ConversionResponse, toConversionView),
    handle: listing("conversions", listConversions),
  }),
  conversions.get("/{conversionID}", {
    operationId: "v3GetConversion",
    summary: "Read a conversion",
    params: z.object({ conversionID: ownedIdParam("conversion") }),
    answer: ok.data("The conversion", ConversionResponse, toConversionView),
    errors: [404],
    handle: ({ params, context }) => getConversion(context, params.conversionID),
  }),
);
