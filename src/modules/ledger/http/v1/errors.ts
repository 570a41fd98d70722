import { AppError, type FailureKind } from "#platform/errors.ts";

/**
 * Kinds of errors whose codes the clients of this version do not know or do not expect, with the kinds that replace them. Clients cannot
 * handle an answer with an unknown code. They do not know `ALREADY_REVERT` either, which stays: it was always answered here, and no other
 * code tells that the work is done.
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

/** An expected failure with a code of this version, and with `subject` in front of its message. Other errors stay as they are. */
export function toKnownError(error: unknown, subject = ""): unknown {
  if (!(error instanceof AppError)) return error;
  const { kind, message, details } = error;
  return new AppError(KNOWN[kind] ?? kind, `${subject}${message}`, {
    cause: error,
    ...(details === undefined ? {} : { details }),
  });
}
