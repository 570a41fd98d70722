import { z } from "@hono/zod-openapi";
import type { ObjectMetadata } from "#modules/payments/common/metadata.ts";
import { isCurrencyAsset } from "#modules/payments/core/assets.ts";
import { isCountryCode } from "#modules/payments/core/owners/country-codes.ts";
import { MetadataSchema } from "#platform/http/index.ts";

/** Longest name or reference, in characters. */
const TEXT_LENGTH_MAX = 1000;

/** The length of a text in characters, as clients count them. The `length` of a text counts UTF-16 units. */
const lengthOf = (text: string): number => Array.from(text).length;

/** A text that must not be empty. */
export const RequiredText = z
  .string()
  .min(1, "is a required field")
  .refine(
    (text) => lengthOf(text) <= TEXT_LENGTH_MAX,
    `must be at maximum ${TEXT_LENGTH_MAX.toLocaleString("en-US")} characters in length`,
  )
  .openapi({ type: "string", minLength: 1, maxLength: TEXT_LENGTH_MAX });

/** Shortest reference of a client, in characters. */
const REFERENCE_LENGTH_MIN = 3;

/** The reference of a new object, which the client chooses. */
export const ReferenceInput = RequiredText.refine(
  (text) => lengthOf(text) >= REFERENCE_LENGTH_MIN,
  `must be at least ${REFERENCE_LENGTH_MIN} characters in length`,
).openapi({ type: "string", minLength: REFERENCE_LENGTH_MIN, maxLength: TEXT_LENGTH_MAX });

/** The reference of a reversal in version 1 must be longer than this, and shorter than `TEXT_LENGTH_MAX`, in characters. */
const REVERSAL_REFERENCE_ABOVE = 3;

/** The reference of a new reversal in version 1. */
export const ReversalReferenceV1 = z
  .string()
  .min(1, "is a required field")
  .refine(
    (text) => lengthOf(text) > REVERSAL_REFERENCE_ABOVE,
    `must be greater than ${REVERSAL_REFERENCE_ABOVE} characters in length`,
  )
  .refine(
    (text) => lengthOf(text) < TEXT_LENGTH_MAX,
    `must be less than ${TEXT_LENGTH_MAX.toLocaleString("en-US")} characters in length`,
  )
  .openapi({
    type: "string",
    minLength: REVERSAL_REFERENCE_ABOVE + 1,
    maxLength: TEXT_LENGTH_MAX - 1,
  });

export const AssetInput = z
  .string()
  .refine(isCurrencyAsset, "is not a currency of ISO 4217 with its number of decimals: USD/2")
  .openapi({ type: "string", example: "EUR/2" });

/** A text that may be absent. An empty text and null count as absent. */
export const OptionalText = z
  .string()
  .refine(
    (text) => lengthOf(text) <= TEXT_LENGTH_MAX,
    `must be at maximum ${TEXT_LENGTH_MAX.toLocaleString("en-US")} characters in length`,
  )
  .nullish()
  .transform((text) => (text === null || text === "" ? undefined : text))
  .openapi({ type: "string", maxLength: TEXT_LENGTH_MAX });

export const OptionalAsset = OptionalText.refine(
  (asset) => asset === undefined || isCurrencyAsset(asset),
  "is not a currency of ISO 4217 with its number of decimals: USD/2",
).openapi({ type: "string", example: "EUR/2" });

export const OptionalCountry = OptionalText.refine(
  (code) => code === undefined || isCountryCode(code),
  "is not a country code of ISO 3166-1",
).openapi({ type: "string", description: "Two letters, three letters or the number." });

/** Metadata of a new object. Null and absent count as empty. */
export const OptionalMetadata = MetadataSchema.nullish()
  .transform((metadata): ObjectMetadata => metadata ?? {})
  .openapi({ type: "object", additionalProperties: { type: "string" } });

/** The body `{"metadata": {...}}`, with at least one entry. */
export const MetadataRequest = z
  .object({
    metadata: MetadataSchema.nullish()
      .transform((metadata): ObjectMetadata => metadata ?? {})
      .refine((metadata) => Object.keys(metadata).length > 0, "metadata must be provided")
      .openapi({ type: "object", additionalProperties: { type: "string" } }),
  })
  .openapi("PaymentMetadataRequest");
