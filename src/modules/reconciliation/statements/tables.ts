import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { StatementState } from "./refusal.ts";
import type { StatementFormat } from "#modules/reconciliation/core/statements/index.ts";
import type { Timestamp } from "#platform/time.ts";

/** Files that were uploaded to sources of the kind `statement`. The lines and the bytes are in the source's object. */
export const reconciliationStatements = sqliteTable(
  "reconciliation_statements",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    id: text("id").notNull().unique(),
    sourceId: text("source_id").notNull(),
    state: text("state").$type<StatementState>().notNull(),
    fileName: text("file_name"),
    bytes: integer("bytes").notNull(),
    /** The SHA-256 of the file, in lower-case hexadecimal digits. */
    sha256: text("sha256").notNull(),
    /** Null while the file is read, and for a file whose format is unknown. */
    format: text("format").$type<StatementFormat>(),
    uploadedAt: text("uploaded_at").$type<Timestamp>().notNull(),
    uploadedBy: text("uploaded_by").notNull(),
    /** When the file was read to its end, or refused. */
    endedAt: text("ended_at").$type<Timestamp>(),
    lines: integer("lines").notNull(),
    pending: integer("pending").notNull(),
    /** The `StatementRefusal` as JSON; null for a file that is not refused. */
    refusal: text("refusal"),
  },
  (table) => [
    uniqueIndex("reconciliation_statements_content")
      .on(table.sourceId, table.sha256)
      .where(sql`state <> 'refused'`),
    index("reconciliation_statements_listed").on(table.sourceId, table.uploadedAt),
  ],
);

/** What statements say of themselves. A file may have several. Heads are stored when the whole file was read. */
export const reconciliationStatementHeads = sqliteTable(
  "reconciliation_statement_heads",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    statementKey: integer("statement_key").notNull(),
    sourceId: text("source_id").notNull(),
    /** The place of the head in its file, from 0. */
    ordinal: integer("ordinal").notNull(),
    /** The name that the bank gives to the statement; null for none. */
    name: text("name"),
    /** The account as the file writes it; null for none. */
    account: text("account"),
    /** The letters and digits of the account, in upper case; empty for no account. */
    accountKey: text("account_key").notNull(),
    /** Null for a report of several currencies. */
    asset: text("asset"),
    /** The first and the last day of the period, as `YYYY-MM-DD`; null for a statement without lines that does not state them. */
    from: text("from_day"),
    to: text("to_day"),
    /** Balances, as decimal digits. */
    opening: text("opening"),
    closing: text("closing"),
    lines: integer("lines").notNull(),
    pending: integer("pending").notNull(),
    /** The sums of the lines by asset, as JSON with exact integers. */
    totals: text("totals").notNull(),
    balanced: integer("balanced", { mode: "boolean" }).notNull(),
  },
  (table) => [
    uniqueIndex("reconciliation_statement_heads_place").on(table.statementKey, table.ordinal),
    index("reconciliation_statement_heads_period").on(
      table.sourceId,
      table.accountKey,
      table.asset,
      table.to,
    ),
    index("reconciliation_statement_heads_name")
      .on(table.sourceId, table.accountKey, table.name)
      .where(sql`name IS NOT NULL`),
  ],
);
