import { sql } from "drizzle-orm";
import {
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import type {
  InitiationStatus,
  InitiationType,
  ReversalStatus,
} from "#modules/payments/core/enums.ts";
import type { Timestamp } from "#platform/time.ts";

/** Payment initiations. The columns from `status` to `reserved` follow from the adjustments. */
export const paymentInitiations = sqliteTable(
  "payment_initiations",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    connectorKey: integer("connector_key").notNull(),
    /** The reference that the client has chosen. The provider gets it as idempotency key. */
    reference: text("reference").notNull(),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    scheduledAt: text("scheduled_at").$type<Timestamp>(),
    description: text("description").notNull(),
    type: text("type").$type<InitiationType>().notNull(),
    /** Decimal digits, as in all columns of amounts in this file. */
    amount: text("amount").notNull(),
    asset: text("asset").notNull(),
    /** The references of the accounts, which belong to the same connector. */
    source: text("source"),
    destination: text("destination"),
    /** The hashes of their references, which the index of lists has in place of them; see `core/text-hash.ts`. */
    sourceHash: integer("source_hash"),
    destinationHash: integer("destination_hash"),
    /** JSON of an object with texts. */
    metadata: text("metadata").notNull(),
    /** The Bloom filter of the metadata; see `core/bloom/metadata-bloom.ts`. */
    metadataBits: integer("metadata_bits").notNull(),
    /** The issuer and subject of the principal who has created it; see `Principal`. */
    creatorIssuer: text("creator_issuer").notNull(),
    creatorSubject: text("creator_subject").notNull(),
    status: text("status").$type<InitiationStatus>().notNull(),
    error: text("error"),
    /** The time of the last adjustment, and the number of all. */
    adjustedAt: text("adjusted_at").$type<Timestamp>().notNull(),
    adjustments: integer("adjustments").notNull(),
    /** The number of times it was sent. */
    attempts: integer("attempts").notNull(),
    wasProcessed: integer("was_processed", { mode: "boolean" }).notNull(),
    reversed: text("reversed").notNull(),
    reserved: text("reserved").notNull(),
    /** The number of triggers that, one after the other, led to the initiation. */
    causationDepth: integer("causation_depth").notNull().default(0),
    /** What has caused it (`platform/tracing/cause.ts`); null where it is not known. */
    cause: text("cause"),
  },
  (table) => [
    uniqueIndex("payment_initiations_identity").on(table.reference, table.connectorKey),
    // In the order of lists, with all columns that filters test, so that a filter with few matches reads only this index.
    index("payment_initiations_listed").on(
      table.createdAt,
      table.key,
      table.connectorKey,
      table.status,
      table.type,
      table.asset,
      table.amount,
      table.sourceHash,
      table.destinationHash,
      table.metadataBits,
    ),
    index("payment_initiations_connector").on(table.connectorKey),
  ],
);

export const paymentInitiationAdjustments = sqliteTable("payment_initiation_adjustments", {
  /** Combines the key of the initiation and the adjustment's ordinal; see `adjustment-keys.ts`. */
  key: integer("key").primaryKey(),
  initiationKey: integer("initiation_key").notNull(),
  status: text("status").$type<InitiationStatus>().notNull(),
  /** The signature of the metadata. */
  metadataBits: integer("metadata_bits").notNull(),
  /** Later than the time of the adjustment before. */
  createdAt: text("created_at").$type<Timestamp>().notNull(),
  amount: text("amount"),
  error: text("error"),
  /** JSON of an object with texts. */
  metadata: text("metadata").notNull(),
});

export const paymentReversals = sqliteTable(
  "payment_reversals",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    connectorKey: integer("connector_key").notNull(),
    initiationKey: integer("initiation_key").notNull(),
    reference: text("reference").notNull(),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    description: text("description").notNull(),
    amount: text("amount").notNull(),
    /** JSON of an object with texts. */
    metadata: text("metadata").notNull(),
    status: text("status").$type<ReversalStatus>().notNull(),
    adjustments: integer("adjustments").notNull(),
    /** The provider's reference of the payment's state that reports this reversal. */
    paymentReference: text("payment_reference"),
  },
  (table) => [
    uniqueIndex("payment_reversals_identity").on(table.reference, table.connectorKey),
    index("payment_reversals_initiation").on(table.initiationKey),
  ],
);

export const paymentReversalAdjustments = sqliteTable(
  "payment_reversal_adjustments",
  {
    reversalKey: integer("reversal_key").notNull(),
    ordinal: integer("ordinal").notNull(),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    status: text("status").$type<ReversalStatus>().notNull(),
    error: text("error"),
  },
  (table) => [primaryKey({ columns: [table.reversalKey, table.ordinal] })],
);

/** Payments that providers have made for initiations and their reversals. */
export const paymentInitiationPayments = sqliteTable(
  "payment_initiation_payments",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    initiationKey: integer("initiation_key").notNull(),
    paymentKey: integer("payment_key").notNull(),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    /** The key of the payment's last adjustment that was applied to the initiation; see `movements/payment-updates.ts`. */
    heardOf: integer("heard_of").notNull(),
    /** Whether the payment may have later adjustments. */
    hasNews: integer("has_news", { mode: "boolean" }).notNull(),
  },
  (table) => [
    uniqueIndex("payment_initiation_payments_identity").on(table.initiationKey, table.paymentKey),
    index("payment_initiation_payments_payment").on(table.paymentKey),
    index("payment_initiation_payments_news")
      .on(table.initiationKey)
      .where(sql`has_news = 1`),
  ],
);

/**
 * Movements of money: the next step of an initiation or of a reversal. An initiation has at most one row, from the approval
 * to the outcome; see `movement-rows.ts`.
 */
export const paymentMovements = sqliteTable(
  "payment_movements",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    connectorKey: integer("connector_key").notNull(),
    initiationKey: integer("initiation_key").notNull().unique(),
    /** The reversal that the movement makes; null for the movement of the initiation itself. */
    reversalKey: integer("reversal_key"),
    /** The reference in the id of the task. */
    task: text("task").notNull(),
    /** The id by which the provider is asked for the outcome; null before the provider has given one. */
    pollingId: text("polling_id"),
    /** The reference of the initiation or reversal, as the provider shows it on the payment. */
    mark: text("mark").notNull(),
    /** Equal for movements of the same money, see `core/movement-signature.ts`; empty for a reversal. */
    signature: text("signature").notNull(),
    /** The time of the first attempt; null before it. */
    sentAt: text("sent_at").$type<Timestamp>(),
    /** JSON of a payment from a page or a webhook that may belong to this movement; see `payments/ingestion/shown-movements.ts`. */
    shown: text("shown"),
    /** The time of the next step, at which the connector's object claims the row. The sweep wakes an object that is late. */
    dueAt: text("due_at").$type<Timestamp>().notNull(),
    /** Counts the claims. Only the last claim may postpone the movement. */
    claims: integer("claims").notNull(),
    /** Calls in a row without an outcome. */
    failures: integer("failures").notNull(),
    /** The time since which calls have had no outcome; null if the last call had one. */
    failingSince: text("failing_since").$type<Timestamp>(),
    /** The error of the last call without an outcome. */
    lastError: text("last_error"),
  },
  (table) => [
    index("payment_movements_due").on(table.dueAt),
    index("payment_movements_connector").on(table.connectorKey, table.dueAt),
    index("payment_movements_task").on(table.connectorKey, table.task),
    index("payment_movements_mark").on(table.connectorKey, table.mark),
    index("payment_movements_signature")
      .on(table.connectorKey, table.signature)
      .where(sql`failures > 0`),
    index("payment_movements_shown")
      .on(table.connectorKey)
      .where(sql`shown IS NOT NULL`),
    // Finds the movement of a connector with the most failures.
    index("payment_movements_trouble")
      .on(table.connectorKey, table.failures)
      .where(sql`failing_since IS NOT NULL`),
  ],
);
