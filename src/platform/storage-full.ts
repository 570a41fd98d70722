import { AppError } from "#platform/errors.ts";

/** The messages of SQLite, and those of D1 for databases and accounts that have reached their limit. */
const FULL =
  /SQLITE_FULL|database or disk is full|maximum (?:DB size|account storage limit)|storage quota/i;

/** `node:sqlite` found no room for the index that it needs to open a file: SQLITE_IOERR_SHMSIZE. */
const INDEX_FULL = 4874;

/** Whether an error comes from a write that found no room on the disk, or in the quota of a database or an object. */
export function isStorageFull(error: unknown): boolean {
  const root = rootOf(error);
  if (!(root instanceof Error)) return false;
  return FULL.test(root.message) || ("errcode" in root && root.errcode === INDEX_FULL);
}

/**
 * Whether the platform hides what went wrong. On a disk that is full to the last byte, a database that is not open can't be
 * opened, and that is all it says.
 */
export function isOpaque(error: unknown): boolean {
  const root = rootOf(error);
  return root instanceof Error && /^(?:D1_ERROR: )?internal error\b/.test(root.message);
}

/**
 * Only the innermost error is examined: an error that wraps it may contain parameters, and clients can put any text
 * there.
 */
function rootOf(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? rootOf(error.cause) : error;
}

/** The error that clients get. A write is a transaction, so no part of it is stored. */
export const storageFull = (cause: unknown): AppError =>
  new AppError("STORAGE_FULL", "storage is full; nothing was written", { cause });
