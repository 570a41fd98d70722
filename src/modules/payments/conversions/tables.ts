import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { bloomTable } from "#modules/payments/bloom-index/table.ts";
import { CONVERSION_LAYOUT } from "#modules/payments/core/bloom/trade-layouts.ts";
import type { ConversionStatus } from "#modules/payments/core/enums.ts";
import type { Timestamp } from "#platform/time.ts";

/** Conversions of one asset into another at exchanges. Amounts are decimal digits. */
export const paymentConversions = sqliteTable(
  "payment_conversions",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    connectorKey: integer("connector_key").notNull(),
    /** The provider's id of the conversion. */
    reference: text("reference").notNull(),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    updatedAt: text("updated_at").$type<Timestamp>().notNull(),
    sourceAsset: text("source_asset").notNull(),
    destinationAsset: text("destination_asset").notNull(),
    sourceAmount: text("source_amount").notNull(),
    destinationAmount: text("destination_amount"),
    fee: text("fee"),
    feeAsset: text("fee_asset"),
    status: text("status").$type<ConversionStatus>().notNull(),
    /** The references of the accounts, which belong to the same connector. */
    sourceReference: text("source_reference"),
    destinationReference: text("destination_reference"),
    /** The hashes of their references, which the index of lists has in place of them; see `core/text-hash.ts`. */
    sourceHash: integer("source_hash"),
    destinationHash: integer("destination_hash"),
    /** JSON of an object with texts. */
    metadata: text("metadata").notNull(),
    /** The Bloom filter of the metadata; see `core/bloom/metadata-bloom.ts`. */
    metadataBits: integer("metadata_bits").notNull(),
    /** The provider's newest data, as JSON. */
    raw: text("raw").notNull(),
  },
  (table) => [
    uniqueIndex("payment_conversions_identity").on(table.reference, table.connectorKey),
    // In the order of lists, with all columns that filters test.
    index("payment_conversions_listed").on(
      table.createdAt,
      table.key,
      table.connectorKey,
      table.status,
      table.sourceAsset,
      table.destinationAsset,
      table.sourceAmount,
      table.destinationAmount,
      table.sourceHash,
      table.destinationHash,
      table.metadataBits,
    ),
    index("payment_conversions_connector").on(table.connectorKey),
  ],
);

/** Blocks of conversions; see `bloom-index/bloom-index.ts`. */
export const paymentConversionSegments = bloomTable(
  "payment_conversion_segments",
  CONVERSION_LAYOUT,
);
