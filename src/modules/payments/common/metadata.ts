import { lte, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { metadataBloom } from "#modules/payments/core/bloom/metadata-bloom.ts";
import { AppError } from "#platform/errors.ts";
import { stringifyJson } from "#platform/json.ts";

export type ObjectMetadata = Readonly<Record<string, string>>;

/** Largest metadata of one object, in bytes of its JSON. */
export const METADATA_BYTES_MAX = 65_536;

/** Metadata as text for a column. Throws `VALIDATION` if it is larger than `METADATA_BYTES_MAX`. */
export function toMetadataColumn(metadata: ObjectMetadata): string {
  const text = stringifyJson(metadata);
  if (new TextEncoder().encode(text).byteLength > METADATA_BYTES_MAX) throw metadataTooLarge();
  return text;
}

/**
 * The metadata of a row together with more, its Bloom filter, and the condition that it is not too large then. The Bloom filter keeps the
 * bits of values that are replaced: it may have bits that none of the entries sets.
 */
export function mergedMetadata(
  columns: { readonly metadata: SQLWrapper; readonly metadataBits: SQLWrapper },
  added: ObjectMetadata,
): { readonly metadata: SQL; readonly metadataBits: SQL; readonly fits: SQL } {
  const metadata = sql`json_patch(${columns.metadata}, ${stringifyJson(added)})`;
  return {
    metadata,
    metadataBits: sql`${columns.metadataBits} | ${metadataBloom(added)}`,
    fits: lte(sql`length(CAST(${metadata} AS BLOB))`, METADATA_BYTES_MAX),
  };
}

export const metadataTooLarge = (): AppError =>
  new AppError("VALIDATION", `the metadata is larger than ${METADATA_BYTES_MAX} bytes`);
