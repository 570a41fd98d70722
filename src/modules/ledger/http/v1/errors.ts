import { AppError, type FailureKind } from "#platform/errors.ts";

/**
 * What the clients of this version have no code for, or expect another one for: an answer with a code that they do not
 * know is no error to them that they could handle. `ALREADY_REVERT` is none of their codes either, and stays: it has always
 * been answered here, and no other code tells that the work is done.
 */
const KNOWN: Partial<Record<FailureKind, FailureKind>> = {
  LEDGER_NOT_FOUND: "NOT_FOUND",
  SCHEMA_NOT_SPECIFIED: "VALIDATION",
  NO_POSTINGS: "VALIDATION",
  COMPILATION_FAILED: "VALIDATION",
  INTERPRETER_PARSE: "VALIDATION",
  INTERPRETER_RUNTIME: "VALIDATION",
  METADATA_OVERRIDE: "VALIDATION",
  BULK_SIZE_EXCEEDED: "BODY_TOO_LARGE",
};

/** An expected failure with a code of this version, and what its message is about. Other errors stay as they are. */
export function toKnownError(error: unknown, subject = ""): unknown {
  if (!(error instanceof AppError)) return error;
  const { kind, message, details } = error;
  return new AppError(KNOWN[kind] ?? kind, `${subject}${message}`, {
    cause: error,
    ...(details === undefined ? {} : { details }),
  });
}
