import { type OpenAPIHono, z } from "@hono/zod-openapi";
import type { Conversion } from "#modules/payments/conversions/conversion.ts";
import { listConversions } from "#modules/payments/conversions/list.ts";
import { getConversion } from "#modules/payments/conversions/store.ts";
import { CONVERSION_STATUSES } from "#modules/payments/core/enums.ts";
import { given } from "#modules/payments/core/given.ts";
import { encodeConnectorId, encodeOwnedId } from "#modules/payments/core/ids.ts";
import { LIST, listing } from "#modules/payments/http/lists.ts";
import { ownedIdParam } from "#modules/payments/http/path-ids.ts";
import { toRawView } from "#modules/payments/http/raw.ts";
import type { AppEnv } from "#platform/http/context.ts";
import { endpoint, errors, json } from "#platform/http/endpoint.ts";
import {
  BigInteger,
  cursorOf,
  dataOf,
  MetadataSchema,
  TimestampOutput,
} from "#platform/http/schemas.ts";
import { formatTimestamp } from "#platform/time.ts";

const TAGS = ["Orders and conversions"];

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

export function registerConversions(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      ...LIST,
      path: "/v3/conversions",
      operationId: "v3ListConversions",
      summary: "List conversions",
      description:
        "Filters: `id`, `reference`, `connector_id`, `source_asset`, `destination_asset`, `status`, `source_account_id`, `destination_account_id`, `source_amount`, `destination_amount`, `metadata[key]`.",
      tags: TAGS,
      responses: { 200: json("A page of conversions", cursorOf(ConversionResponse)) },
    },
    listing("conversions", listConversions, toConversionView),
  );
  endpoint(
    app,
    {
      method: "get",
      path: "/v3/conversions/{conversionID}",
      operationId: "v3GetConversion",
      summary: "Read a conversion",
      tags: TAGS,
      scope: "payments:read",
      params: z.object({ conversionID: ownedIdParam("conversion") }),
      responses: { 200: json("The conversion", dataOf(ConversionResponse)), ...errors(404) },
    },
    async ({ params, c }) => {
      const conversion = await getConversion(c.var.context, params.conversionID);
      return { status: 200, body: { data: toConversionView(conversion) } };
    },
  );
}

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
