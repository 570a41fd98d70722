import { AppError } from "#platform/errors.ts";

/** Messages of SQLite for a full disk, and of D1 for databases and accounts that have reached their limits. */
const FULL =
  /SQLITE_FULL|database or disk is full|maximum (?:DB size|account storage limit)|storage quota/i;

/** The code SQLITE_IOERR_SHMSIZE: `node:sqlite` found no room for the shared-memory index that it needs to open a file. */
const INDEX_FULL = 4874;

/** Whether an error comes from a write that found no room on the disk, or in the quota of a database or an object. */
export function isStorageFull(error: unknown): boolean {
  const root = rootOf(error);
  if (!(root instanceof Error)) return false;
  return FULL.test(root.message) || ("errcode" in root && root.errcode === INDEX_FULL);
}

/**
 * Whether the platform hides the cause of an error. On a completely full disk, a database that is not open cannot be opened, and the
 * platform only reports an internal error.
 */
export function isOpaque(error: unknown): boolean {
  const root = rootOf(error);
  return root instanceof Error && /^(?:D1_ERROR: )?internal error\b/.test(root.message);
}

/** The innermost cause of an error. Outer errors are not examined: their messages may contain parameters with any text of a client. */
function rootOf(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? rootOf(error.cause) : error;
}

/** The error that clients get. A write is a transaction, so that no part of a failed write is stored. */
export const storageFull = (cause: unknown): AppError =>
  new AppError("STORAGE_FULL", "storage is full; nothing was written", { cause });
