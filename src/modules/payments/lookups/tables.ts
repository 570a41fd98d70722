import { sql } from "drizzle-orm";
import {
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import type { Timestamp } from "#platform/time.ts";

/**
 * The look-ups of connectors of a restored deployment, one row for each connector that was armed since: what was not final at the moment of
 * the copy is looked up at the provider, because the original may have paid it. A deployment that is said to be restored once more deletes the
 * rows, so that its connectors are looked up again.
 */
export const paymentLookups = sqliteTable(
  "payment_lookups",
  {
    connectorKey: integer("connector_key").primaryKey(),
    /** The time at which the connector was armed, when the original was stopped: it knows no order that was made later. Runs count that began later. */
    beganAt: text("began_at").$type<Timestamp>().notNull(),
    /** The first `began_at` since the restore. What people have decided before, they have decided about another copy. */
    firstBeganAt: text("first_began_at").$type<Timestamp>().notNull(),
    /** The end of the look-up; null while it is under way, when no money of the connector moves. */
    endedAt: text("ended_at").$type<Timestamp>(),
    /** Whether an operator has left the look-up out, because payments may be made twice. */
    isSkipped: integer("is_skipped", { mode: "boolean" }).notNull(),
    /** The key of the last initiation that was looked up; 0 before the first one. */
    position: integer("position").notNull(),
    /** The time before which the look-up makes no further step. */
    dueAt: text("due_at").$type<Timestamp>().notNull(),
    /** Steps in a row that the provider has not answered. */
    failures: integer("failures").notNull(),
    /** The time since when the look-up cannot go on, and why; null for one that goes on. */
    failingSince: text("failing_since").$type<Timestamp>(),
    lastError: text("last_error"),
  },
  (table) => [
    // Those under way.
    index("payment_lookups_under_way")
      .on(table.beganAt)
      .where(sql`ended_at IS NULL`),
  ],
);

/**
 * Payments that a provider has shown with a reference, and that no movement on its way here has taken, by that reference: a copy of this
 * deployment, or this one after a restore, recognises by them what its original has paid, whenever the payment was polled. They are part of a
 * backup, as the positions of the schedules are, after which the payments are not polled again. `lookups/forget-marks.ts` deletes them in the end.
 */
export const paymentShownMarks = sqliteTable(
  "payment_shown_marks",
  {
    connectorKey: integer("connector_key").notNull(),
    /** The reference of an initiation or a reversal, in the form in which the provider shows it. */
    mark: text("mark").notNull(),
    /** JSON of the first payment, as `payment_movements.shown` has it, with `isAmbiguous` once a second payment shows the reference, too. */
    shown: text("shown").notNull(),
    /** When the first payment was noted. The sweep deletes a mark long afterwards. */
    notedAt: text("noted_at").$type<Timestamp>().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.connectorKey, table.mark] }),
    index("payment_shown_marks_noted").on(table.notedAt),
  ],
);

/** What a person finds out about an order that could not be looked up: it was paid, it was not and may be, or it must not be. */
export const REVIEW_DECISIONS = ["paid", "not-paid", "given-up"] as const;
export type ReviewDecision = (typeof REVIEW_DECISIONS)[number];

/**
 * `open`: a person has to decide. `decided`: a person has decided. `settled`: the provider has shown the payment before anybody decided, or
 * the order has ended otherwise.
 */
export const REVIEW_STATUSES = ["open", "decided", "settled"] as const;
export type ReviewStatus = (typeof REVIEW_STATUSES)[number];

/** Orders that the original of a restored deployment may have paid, and that could not be looked up. No money of an open one moves. */
export const paymentReviews = sqliteTable(
  "payment_reviews",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    /** A UUID, by which clients know the review. */
    id: text("id").notNull().unique(),
    connectorKey: integer("connector_key").notNull(),
    initiationKey: integer("initiation_key").notNull(),
    /** The reversal that is in question; null for the initiation itself. */
    reversalKey: integer("reversal_key"),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    /** Why the order could not be looked up. */
    reason: text("reason").notNull(),
    status: text("status").$type<ReviewStatus>().notNull(),
    /** Raised by each change. Of two changes that have seen the same review, the second one fails. */
    version: integer("version").notNull(),
    decision: text("decision").$type<ReviewDecision>(),
    /** The provider's reference of the payment, if a person has named it. */
    paymentReference: text("payment_reference"),
    decidedAt: text("decided_at").$type<Timestamp>(),
    /** Who has decided, as the audit has it. */
    issuer: text("issuer"),
    subject: text("subject"),
    clientId: text("client_id"),
  },
  (table) => [
    uniqueIndex("payment_reviews_open")
      .on(table.initiationKey)
      .where(sql`status = 'open'`),
    index("payment_reviews_waiting")
      .on(table.createdAt)
      .where(sql`status = 'open'`),
    index("payment_reviews_initiation").on(table.initiationKey),
    index("payment_reviews_connector").on(table.connectorKey),
    index("payment_reviews_listed").on(table.createdAt, table.key, table.status),
  ],
);
