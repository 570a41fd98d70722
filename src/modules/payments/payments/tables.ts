import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { bloomTable } from "#modules/payments/bloom-index/table.ts";
import { PAYMENT_LAYOUT } from "#modules/payments/core/bloom/payment-layout.ts";
import type { PaymentScheme, PaymentStatus, PaymentType } from "#modules/payments/core/enums.ts";
import type { Timestamp } from "#platform/time.ts";

/** Payments at providers. Amounts and status are derived from the adjustments, which are never changed. */
export const paymentPayments = sqliteTable(
  "payment_payments",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    connectorKey: integer("connector_key").notNull(),
    /** The provider's id of the payment. */
    reference: text("reference").notNull(),
    type: text("type").$type<PaymentType>().notNull(),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    scheme: text("scheme").$type<PaymentScheme>().notNull(),
    status: text("status").$type<PaymentStatus>().notNull(),
    asset: text("asset").notNull(),
    /** Decimal digits, as in all columns of amounts in this table. */
    initialAmount: text("initial_amount").notNull(),
    amount: text("amount").notNull(),
    /** The amounts with which a client has created the payment; null if the amounts follow from the adjustments alone. */
    openingInitialAmount: text("opening_initial_amount"),
    openingAmount: text("opening_amount"),
    /** The accounts at its ends; see `core/account-keys.ts`. */
    sourceAccount: text("source_account"),
    destinationAccount: text("destination_account"),
    /** The hashes of their references, which the index of lists has in place of them; see `core/text-hash.ts`. */
    sourceHash: integer("source_hash"),
    destinationHash: integer("destination_hash"),
    psuId: text("psu_id"),
    connectionId: text("connection_id"),
    /** JSON of an object with texts. */
    metadata: text("metadata").notNull(),
    /** The Bloom filter of the metadata; see `core/bloom/metadata-bloom.ts`. */
    metadataBits: integer("metadata_bits").notNull(),
    /** The number of triggers that, one after the other, led to the payment. */
    causationDepth: integer("causation_depth").notNull().default(0),
  },
  (table) => [
    uniqueIndex("payment_payments_identity").on(table.reference, table.connectorKey, table.type),
    /*
     * In the order of lists, with all that their filters test, so that a filter which the blocks do not answer reads this index
     * only. The narrower it is, the faster that goes. An index for each filter would be billed with a row for each payment.
     */
    index("payment_payments_listed").on(
      table.createdAt,
      table.key,
      table.connectorKey,
      table.type,
      table.status,
      table.scheme,
      table.asset,
      table.amount,
      table.initialAmount,
      table.sourceHash,
      table.destinationHash,
      table.psuId,
      table.connectionId,
      table.metadataBits,
    ),
  ],
);

/** Blocks of payments; see `bloom-index/bloom-index.ts`. */
export const paymentSegments = bloomTable("payment_segments", PAYMENT_LAYOUT);

/** Adjustments of payments, in the order in which they were stored. */
export const paymentAdjustments = sqliteTable(
  "payment_adjustments",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    paymentKey: integer("payment_key").notNull(),
    /** The position among the adjustments of the payment, from 0. */
    ordinal: integer("ordinal").notNull(),
    reference: text("reference").notNull(),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    status: text("status").$type<PaymentStatus>().notNull(),
    /** Decimal digits. */
    amount: text("amount"),
    asset: text("asset"),
    /** JSON of an object with texts. */
    metadata: text("metadata").notNull(),
    /** The provider's or client's data, as JSON. */
    raw: text("raw").notNull(),
  },
  // Of two changes that have seen the same adjustments, the second fails and is decided again.
  (table) => [uniqueIndex("payment_adjustments_ordinal").on(table.paymentKey, table.ordinal)],
);
