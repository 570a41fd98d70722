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

/** Payment initiations. The columns from the status on are what their adjustments give together. */
export const paymentInitiations = sqliteTable(
  "payment_initiations",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    connectorKey: integer("connector_key").notNull(),
    /** Given by the client. The provider gets it as idempotency key. */
    reference: text("reference").notNull(),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    scheduledAt: text("scheduled_at").$type<Timestamp>(),
    description: text("description").notNull(),
    type: text("type").$type<InitiationType>().notNull(),
    /** Decimal digits, as all amounts here. */
    amount: text("amount").notNull(),
    asset: text("asset").notNull(),
    /** The references of accounts of the same connector. */
    source: text("source"),
    destination: text("destination"),
    /** The hashes of their references, which the index of lists has in place of them; see `core/signature.ts`. */
    sourceHash: integer("source_hash"),
    destinationHash: integer("destination_hash"),
    /** JSON. */
    metadata: text("metadata").notNull(),
    /** The signature of the metadata; see `core/signature.ts`. */
    metadataBits: integer("metadata_bits").notNull(),
    /** Who has created it, see `Principal`. */
    creatorIssuer: text("creator_issuer").notNull(),
    creatorSubject: text("creator_subject").notNull(),
    status: text("status").$type<InitiationStatus>().notNull(),
    error: text("error"),
    /** When the last adjustment was made, and how many there are. */
    adjustedAt: text("adjusted_at").$type<Timestamp>().notNull(),
    adjustments: integer("adjustments").notNull(),
    /** How often it was sent. */
    attempts: integer("attempts").notNull(),
    wasProcessed: integer("was_processed", { mode: "boolean" }).notNull(),
    reversed: text("reversed").notNull(),
    reserved: text("reserved").notNull(),
    /** How many triggers, one after the other, led to it. */
    causationDepth: integer("causation_depth").notNull().default(0),
  },
  (table) => [
    uniqueIndex("payment_initiations_identity").on(table.reference, table.connectorKey),
    // In the order of lists, with all that their filters test, so that a filter that fits few initiations reads this index only.
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

/** What has happened to initiations. */
export const paymentInitiationAdjustments = sqliteTable("payment_initiation_adjustments", {
  /** See `adjustment-keys.ts`. */
  key: integer("key").primaryKey(),
  initiationKey: integer("initiation_key").notNull(),
  status: text("status").$type<InitiationStatus>().notNull(),
  /** The signature of the metadata. */
  metadataBits: integer("metadata_bits").notNull(),
  /** Later than that of the adjustment before. */
  createdAt: text("created_at").$type<Timestamp>().notNull(),
  amount: text("amount"),
  error: text("error"),
  /** JSON. */
  metadata: text("metadata").notNull(),
});

/** Reversals of initiations. */
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
    /** JSON. */
    metadata: text("metadata").notNull(),
    status: text("status").$type<ReversalStatus>().notNull(),
    adjustments: integer("adjustments").notNull(),
    /** What the provider calls the state of a payment that this reversal is. */
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

/** The payments that providers have made of initiations and of their reversals. */
export const paymentInitiationPayments = sqliteTable(
  "payment_initiation_payments",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    initiationKey: integer("initiation_key").notNull(),
    paymentKey: integer("payment_key").notNull(),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    /** The key of the payment's last adjustment that the initiation has heard of; see `report.ts`. */
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
 * Money that is on its way: what is left to do for an initiation or a reversal. There is at most one row for each initiation,
 * from the approval to the outcome; see `movements.ts`.
 */
export const paymentMovements = sqliteTable(
  "payment_movements",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    connectorKey: integer("connector_key").notNull(),
    initiationKey: integer("initiation_key").notNull().unique(),
    /** The reversal that is made; null where the initiation itself is. */
    reversalKey: integer("reversal_key"),
    /** The reference in the id of its task. */
    task: text("task").notNull(),
    /** What the provider is asked for the outcome by, once it has given that. */
    pollingId: text("polling_id"),
    /** The reference of the initiation, or of the reversal, as the provider shows it on what it has made. */
    mark: text("mark").notNull(),
    /** See `core/movement-signature.ts`; empty for a reversal. */
    signature: text("signature").notNull(),
    /** When it was tried for the first time. */
    sentAt: text("sent_at").$type<Timestamp>(),
    /** The payment of a page that may be what the provider has made, as JSON; see `ingestion/shown-movements.ts`. */
    shown: text("shown"),
    /** When something is to be done next: by then, it has moved, or the sweep has it moved. */
    dueAt: text("due_at").$type<Timestamp>().notNull(),
    /** Counts those who have begun to move it: only the last of them may store what comes of it. */
    claims: integer("claims").notNull(),
    /** How many calls in a row have had no outcome. */
    failures: integer("failures").notNull(),
    /** Since when calls have had no outcome; null where the last one has had one. */
    failingSince: text("failing_since").$type<Timestamp>(),
    /** Why the last of them has had none. */
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
    // The movement of a connector that has failed most often is the first one from the end.
    index("payment_movements_trouble")
      .on(table.connectorKey, table.failures)
      .where(sql`failing_since IS NOT NULL`),
  ],
);
