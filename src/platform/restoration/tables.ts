import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Timestamp } from "#platform/time.ts";

/**
 * What has become of a restoration: it is under way; it was given up when a part was written, so that the deployment has to be made anew; or
 * the deployment is the copy.
 */
export type RestorationStage = "under-way" | "abandoned" | "ended";

/** The restoration of a backup into this deployment: at most one row, because only an empty deployment takes a backup. */
export const restoration = sqliteTable("restoration", {
  /** Always 1. */
  id: integer("id").primaryKey(),
  /** A UUID, by which requests name the restoration. */
  reference: text("reference").notNull(),
  /** The SHA-256 of the manifest of the snapshot, in hexadecimal digits. */
  backup: text("backup").notNull(),
  /** When the saved database was copied, as the manifest says. */
  moment: text("moment").notNull(),
  stage: text("stage").$type<RestorationStage>().notNull(),
  /** The SHA-256 of the token that the requests of the restoration carry, in hexadecimal digits. */
  tokenHash: text("token_hash").notNull(),
  beganAt: text("began_at").$type<Timestamp>().notNull(),
  endedAt: text("ended_at").$type<Timestamp>(),
  /** When the first part was written; null as long as the deployment is as it was. */
  writtenAt: text("written_at").$type<Timestamp>(),
  /** What has to come, as JSON: a `RestorationPlan`. */
  plan: text("plan").notNull(),
  /** Who has begun it, or gone on with it last, as the audit has it. */
  issuer: text("issuer").notNull(),
  subject: text("subject").notNull(),
  clientId: text("client_id").notNull(),
});

/** How far each table has come. */
export const restoredTables = sqliteTable("restored_tables", {
  name: text("name").primaryKey(),
  /** How many rows were written, in the order of the backup. */
  rows: integer("rows").notNull(),
  /** 1 when all were. */
  isComplete: integer("is_complete").notNull(),
});

/** The ledgers and objects that are back. */
export const restoredParts = sqliteTable(
  "restored_parts",
  {
    /** `ledger`, or the class of the object. */
    kind: text("kind").notNull(),
    /** The uuid of the ledger, or the name of the object. */
    name: text("name").notNull(),
    /** The id of a ledger's last entry; -1 for an empty log. */
    lastLogId: integer("last_log_id"),
  },
  (table) => [primaryKey({ columns: [table.kind, table.name] })],
);
