import { existsSync } from "node:fs";
import { LedgerError } from "./error.ts";
import { PositionalSql } from "./positional-sql.ts";
import { STEP_LAST } from "#ledger-engine";
import { DatabaseSync } from "#platform/sql/node-sqlite.ts";
import { isStorageFull } from "#platform/storage-full.ts";

/**
 * Opens the file of a ledger for this process alone, and creates it if it does not exist. Throws `CONFLICT` if the file is open elsewhere,
 * and `VALIDATION` if the file holds no ledger or cannot be opened. A refused file stays unchanged.
 */
export function openLedgerFile(path: string): PositionalSql {
  try {
    if (existsSync(path)) assertHoldsLedger(path);
    return openAlone(path);
  } catch (cause) {
    if (cause instanceof LedgerError || isStorageFull(cause)) throw cause;
    throw toOpenError(path, cause);
  }
}

/** Checks a file before any write, because `PositionalSql` changes the mode of a file. */
function assertHoldsLedger(path: string): void {
  const database = new DatabaseSync(path);
  try {
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
    if (tables.length === 0) return; // An empty database is left by an opening that was cut off.
    const names = new Set(tables.map(({ name }) => name));
    if (!names.has("ledger") || !names.has("migration")) {
      throw new LedgerError("VALIDATION", `'${path}' is a database, but it holds no ledger`);
    }
    const last = database.prepare("SELECT max(step) AS step FROM migration").get();
    if (Number(last?.["step"] ?? 0) > STEP_LAST) {
      throw new LedgerError("VALIDATION", `'${path}' was written by a later version of Florin`);
    }
  } finally {
    database.close();
  }
}

function openAlone(path: string): PositionalSql {
  const sql = new PositionalSql(path);
  try {
    // The first transaction that may write takes the lock, which only the closing of the file releases.
    sql.all("PRAGMA locking_mode = EXCLUSIVE");
    sql.all("BEGIN EXCLUSIVE");
    sql.all("COMMIT");
    // A write that has returned survives a power failure.
    sql.all("PRAGMA synchronous = FULL");
    return sql;
  } catch (error) {
    sql.close();
    throw error;
  }
}

const SQLITE_BUSY = 5;

function toOpenError(path: string, cause: unknown): LedgerError {
  const { errcode, message } = cause as { errcode?: number; message: string }; // `node:sqlite` throws errors of this form.
  return errcode === SQLITE_BUSY
    ? new LedgerError("CONFLICT", `'${path}' is open elsewhere, in this process or another`, {
        cause,
      })
    : new LedgerError("VALIDATION", `'${path}' can't be opened: ${message}`, { cause });
}
