import { ErrorCatalogue, type ErrorTable } from "#platform/errors.ts";

/** The kinds of errors of a ledger, besides the kinds of the platform. */
export const LEDGER_ERRORS = {
  INSUFFICIENT_FUND: { status: 400, code: "INSUFFICIENT_FUND" },
  COMPILATION_FAILED: { status: 400, code: "COMPILATION_FAILED" },
  METADATA_OVERRIDE: { status: 400, code: "METADATA_OVERRIDE" },
  ALREADY_REVERT: { status: 400, code: "ALREADY_REVERT" },
  NO_POSTINGS: { status: 400, code: "NO_POSTINGS" },
  LEDGER_NOT_FOUND: { status: 404, code: "LEDGER_NOT_FOUND" },
  IMPORT: { status: 400, code: "IMPORT" },
  BULK_SIZE_EXCEEDED: { status: 413, code: "BULK_SIZE_EXCEEDED" },
  INTERPRETER_PARSE: { status: 400, code: "INTERPRETER_PARSE" },
  INTERPRETER_RUNTIME: { status: 400, code: "INTERPRETER_RUNTIME" },
  LEDGER_ALREADY_EXISTS: { status: 400, code: "LEDGER_ALREADY_EXISTS" },
  SCHEMA_ALREADY_EXISTS: { status: 409, code: "SCHEMA_ALREADY_EXISTS" },
  SCHEMA_NOT_SPECIFIED: { status: 400, code: "SCHEMA_NOT_SPECIFIED" },
} as const satisfies ErrorTable;

declare module "#platform/errors.ts" {
  interface ErrorKinds {
    readonly ledger: keyof typeof LEDGER_ERRORS;
  }
}

/** All errors of calls of a ledger. */
export const ledgerErrors = new ErrorCatalogue(LEDGER_ERRORS);
