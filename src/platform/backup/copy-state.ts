import type { CopyStatement } from "./copy-database.ts";

/** Time after which a copy that nobody has taken anything from is ended, in milliseconds. */
export const ABANDONED_MS = 600_000;
/** The identity of a copy that is under way, and when something was last taken from it. */
export interface CopyState {
  readonly id: string;
  readonly heartbeatMs: number;
}

/**
 * The copy that is under way. A condition of a transaction is an update of `is_own`, `holds` or `is_same`, whose check fails the transaction
 * if the condition is false, because a batch of D1 has no other way to stop halfway.
 */
export const CREATE_STATE = `CREATE TABLE copy_state (
  id TEXT PRIMARY KEY, heartbeat_ms INTEGER NOT NULL,
  is_own INTEGER NOT NULL DEFAULT 1 CONSTRAINT copy_is_own CHECK (is_own),
  holds INTEGER NOT NULL DEFAULT 1 CONSTRAINT copy_holds CHECK (holds),
  is_same INTEGER NOT NULL DEFAULT 1 CONSTRAINT copy_is_same CHECK (is_same),
  definitions TEXT NOT NULL, triggers INTEGER NOT NULL DEFAULT 0
) STRICT`;

/** Keys of rows that have changed. Numbers are never used twice, because a reader knows how far it has read by them. */
export const CREATE_CHANGES =
  "CREATE TABLE copy_change (seq INTEGER PRIMARY KEY AUTOINCREMENT, tbl TEXT NOT NULL, key TEXT NOT NULL) STRICT";

export const DROP_TABLES: readonly CopyStatement[] = [
  { text: "DROP TABLE copy_change" },
  { text: "DROP TABLE copy_state" },
];

export const IS_TRIGGER = "type = 'trigger' AND name GLOB 'copy_*'";
export const TRIGGER_COUNT = `(SELECT count(*) FROM sqlite_master WHERE ${IS_TRIGGER})`;

/** Also true for a heartbeat far in the future, which a clock that has stepped back leaves behind. */
export const isAbandoned = ({ heartbeatMs }: CopyState, nowMs: number): boolean =>
  Math.abs(nowMs - heartbeatMs) >= ABANDONED_MS;

const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return "";
  return error.cause instanceof Error ? `${error.message} ${error.cause.message}` : error.message;
};

/** Whether a statement failed because the tables of a copy are gone, or are there already. */
export const isAbsentOrTaken = (error: unknown): boolean =>
  /no such table: copy_|table copy_state already exists|no such trigger: copy_/.test(
    messageOf(error),
  );

/** Whether a condition of a transaction was false. */
export const isRefusedBy = (error: unknown, condition = "copy_"): boolean =>
  messageOf(error).includes(`CHECK constraint failed: ${condition}`);
