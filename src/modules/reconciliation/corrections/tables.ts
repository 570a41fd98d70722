import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { CorrectionKind, CorrectionState } from "./states.ts";
import type { MatchSide } from "#modules/reconciliation/core/matching/line.ts";
import type { Timestamp } from "#platform/time.ts";

/** Bookings that close breaks, from the request to the end. */
export const reconciliationCorrections = sqliteTable(
  "reconciliation_corrections",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    id: text("id").notNull().unique(),
    matchingId: text("matching_id").notNull(),
    /** The line of the break, and all lines that the booking closes as a JSON list. */
    line: integer("line").notNull(),
    closes: text("closes").notNull(),
    kind: text("kind").$type<CorrectionKind>().notNull(),
    state: text("state").$type<CorrectionState>().notNull(),
    /** Whether a second person has to confirm the booking. */
    needsApproval: integer("needs_approval", { mode: "boolean" }).notNull(),
    ledger: text("ledger").notNull(),
    /** The side of the matching that gets the lines of the booking. */
    side: text("side").$type<MatchSide>().notNull(),
    script: text("script").notNull(),
    /** The values of the script's variables, as JSON of an object. */
    vars: text("vars").notNull(),
    /** The effective date of the transaction; null for the time of the booking. */
    timestamp: text("timestamp").$type<Timestamp>(),
    note: text("note").notNull(),
    idempotencyKey: text("idempotency_key").notNull(),
    /** Who has asked for it, and who has confirmed or refused it, as JSON of principals. */
    requestedBy: text("requested_by").notNull(),
    decidedBy: text("decided_by"),
    decisionNote: text("decision_note"),
    /** Why nothing was booked, or why the booking closes nothing. */
    error: text("error"),
    transactionId: text("transaction_id"),
    lineGroup: integer("line_group"),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    updatedAt: text("updated_at").$type<Timestamp>().notNull(),
  },
  (table) => [
    index("reconciliation_corrections_of_matching").on(table.matchingId, table.createdAt),
    index("reconciliation_corrections_of_line").on(table.matchingId, table.line),
    // Those that wait for a person, and those that a crash may have left in the middle.
    index("reconciliation_corrections_pending")
      .on(table.state, table.updatedAt)
      .where(sql`state IN ('begun', 'waiting', 'booking', 'releasing')`),
  ],
);
