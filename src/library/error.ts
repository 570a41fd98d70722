import { ledgerErrors } from "#ledger-engine";
import { AppError, type FailureKind } from "#platform/errors.ts";
import { isStorageFull, storageFull } from "#platform/storage-full.ts";

/** The values of `LedgerError.code`. They are listed here, because the declarations for users must not import other files. */
export const ERROR_CODES = [
  "VALIDATION",
  "NOT_FOUND",
  "CONFLICT",
  "INTERNAL",
  "INSUFFICIENT_FUND",
  "COMPILATION_FAILED",
  "METADATA_OVERRIDE",
  "ALREADY_REVERT",
  "NO_POSTINGS",
  "LEDGER_NOT_FOUND",
  "IMPORT",
  "BULK_SIZE_EXCEEDED",
  "INTERPRETER_PARSE",
  "INTERPRETER_RUNTIME",
  "LEDGER_ALREADY_EXISTS",
  "SCHEMA_ALREADY_EXISTS",
  "SCHEMA_NOT_SPECIFIED",
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

/** The reason why a ledger refuses something. `code` is the `errorCode` of the HTTP API; `INTERNAL` stands for a full storage, among others. */
export class LedgerError extends Error {
  readonly code: ErrorCode;
  /** Further lines, if any: all problems, or the positions in a script. */
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

/** A method of the public API. Stack traces start at its call, because inner frames are of no use to callers. */
export type Entry = (...input: never[]) => unknown;

/**
 * Runs the synchronous work of a method. An expected failure and a full storage are thrown as a `LedgerError`; any other error
 * passes unchanged.
 */
export function withLedgerErrors<T>(entry: Entry, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof AppError) throw toLedgerError(error, entry);
    if (isStorageFull(error)) throw toLedgerError(storageFull(error), entry, error);
    if (error instanceof LedgerError) Error.captureStackTrace(error, entry);
    throw error;
  }
}

/** Makes the `LedgerError` of a failure, and does not throw it. The failure comes from an `AppError` or from a `Result`. */
export function toLedgerError(
  { kind, message, details }: Failed,
  entry: Entry,
  cause?: unknown,
): LedgerError {
  const error = new LedgerError(codeOf(kind), message, {
    details,
    cause,
  });
  Error.captureStackTrace(error, entry);
  return error;
}

interface Failed {
  readonly kind: FailureKind;
  readonly message: string;
  readonly details?: string | undefined;
}

/** The code of a failure. A test makes sure that `ERROR_CODES` has all codes of the engine. */
const codeOf = (kind: FailureKind): ErrorCode => ledgerErrors.codeOf(kind) as ErrorCode;
