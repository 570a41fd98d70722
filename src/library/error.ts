import { AppError, codeOf, type ErrorCode, type FailureKind } from "#platform/errors.ts";
import { isStorageFull, storageFull } from "#platform/storage-full.ts";

export type { ErrorCode } from "#platform/errors.ts";

/** Why a ledger refuses something. `code` is the `errorCode` of the HTTP API. */
export class LedgerError extends Error {
  readonly code: ErrorCode;
  /** More than one line, where there is more to say: all that is wrong, or the places in a script. */
  readonly details: string | undefined;

  constructor(code: ErrorCode, message: string, options: LedgerErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "LedgerError";
    this.code = code;
    this.details = options.details;
  }
}

export interface LedgerErrorOptions {
  readonly details?: string | undefined;
  readonly cause?: unknown;
}

/** A function of the public API. Traces start where it was called: what is below is no concern of callers. */
export type Entry = (...input: never[]) => unknown;

/** Runs what a caller asked for, and gives an expected failure the form that callers know. */
export function answer<T>(entry: Entry, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof AppError) throw toLedgerError(error, entry);
    if (isStorageFull(error)) throw toLedgerError(storageFull(error), entry, error);
    if (error instanceof LedgerError) Error.captureStackTrace(error, entry);
    throw error;
  }
}

/** An expected failure, as it was thrown or as data. */
export function toLedgerError(
  { kind, message, details }: Failed,
  entry: Entry,
  cause?: unknown,
): LedgerError {
  const error = new LedgerError(codeOf(kind), message, { details, cause });
  Error.captureStackTrace(error, entry);
  return error;
}

interface Failed {
  readonly kind: FailureKind;
  readonly message: string;
  readonly details?: string | undefined;
}
