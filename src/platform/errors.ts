/** The closed set of `errorCode` values that clients know. */
export const ERROR_CODES = [
  "INTERNAL",
  "INSUFFICIENT_FUND",
  "VALIDATION",
  "CONFLICT",
  "COMPILATION_FAILED",
  "METADATA_OVERRIDE",
  "NOT_FOUND",
  "REVERT_OCCURRING",
  "ALREADY_REVERT",
  "NO_POSTINGS",
  "LEDGER_NOT_FOUND",
  "IMPORT",
  "TIMEOUT",
  "BULK_SIZE_EXCEEDED",
  "INTERPRETER_PARSE",
  "INTERPRETER_RUNTIME",
  "LEDGER_ALREADY_EXISTS",
  "OUTDATED_SCHEMA",
  "SCHEMA_ALREADY_EXISTS",
  "SCHEMA_NOT_SPECIFIED",
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

/** Why a request failed: the one table from which status and `errorCode` are read. */
const FAILURES = {
  VALIDATION: { status: 400, code: "VALIDATION" },
  UNAUTHENTICATED: { status: 401, code: "VALIDATION" },
  METHOD_NOT_ALLOWED: { status: 405, code: "VALIDATION" },
  EXCLUSIVE_OPTIONS: { status: 412, code: "VALIDATION" },
  BODY_TOO_LARGE: { status: 413, code: "VALIDATION" },
  NO_POSTINGS: { status: 400, code: "NO_POSTINGS" },
  COMPILATION_FAILED: { status: 400, code: "COMPILATION_FAILED" },
  INTERPRETER_PARSE: { status: 400, code: "INTERPRETER_PARSE" },
  INTERPRETER_RUNTIME: { status: 400, code: "INTERPRETER_RUNTIME" },
  METADATA_OVERRIDE: { status: 400, code: "METADATA_OVERRIDE" },
  INSUFFICIENT_FUND: { status: 400, code: "INSUFFICIENT_FUND" },
  ALREADY_REVERT: { status: 400, code: "ALREADY_REVERT" },
  LEDGER_ALREADY_EXISTS: { status: 400, code: "LEDGER_ALREADY_EXISTS" },
  IMPORT: { status: 400, code: "IMPORT" },
  NOT_FOUND: { status: 404, code: "NOT_FOUND" },
  LEDGER_NOT_FOUND: { status: 404, code: "LEDGER_NOT_FOUND" },
  CONFLICT: { status: 409, code: "CONFLICT" },
  SCHEMA_NOT_SPECIFIED: { status: 400, code: "SCHEMA_NOT_SPECIFIED" },
  SCHEMA_ALREADY_EXISTS: { status: 409, code: "SCHEMA_ALREADY_EXISTS" },
  BULK_SIZE_EXCEEDED: { status: 413, code: "BULK_SIZE_EXCEEDED" },
  INTERNAL: { status: 500, code: "INTERNAL" },
  STORAGE_FULL: { status: 507, code: "INTERNAL" },
  OVERLOADED: { status: 503, code: "INTERNAL" },
} as const satisfies Record<string, { status: number; code: ErrorCode }>;

export type FailureKind = keyof typeof FAILURES;
export type FailureStatus = (typeof FAILURES)[FailureKind]["status"];

/** An expected failure as plain data, for crossing an RPC boundary. */
export interface Failure {
  readonly kind: FailureKind;
  readonly message: string;
  readonly details?: string;
}

/** An expected failure. Anything else that is thrown is a bug and answers a fixed 500 text. */
export class AppError extends Error {
  readonly kind: FailureKind;
  readonly details: string | undefined;

  constructor(kind: FailureKind, message: string, options?: { cause?: unknown; details?: string }) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause });
    this.name = "AppError";
    this.kind = kind;
    this.details = options?.details;
  }

  get status(): FailureStatus {
    return FAILURES[this.kind].status;
  }

  get code(): ErrorCode {
    return FAILURES[this.kind].code;
  }
}

export interface ErrorBody {
  errorCode: ErrorCode;
  errorMessage: string;
  details?: string;
}

/** The wire form: the message starts with the code in square brackets. */
export function toErrorBody(error: AppError): ErrorBody {
  return {
    errorCode: error.code,
    errorMessage: `[${error.code}] ${error.message}`,
    ...(error.details === undefined ? {} : { details: error.details }),
  };
}

/** `errorCode` of a failure that is reported inside a successful answer (an element of a bulk). */
export const codeOf = (kind: FailureKind): ErrorCode => FAILURES[kind].code;

/** The status of an answer that ends with such a failure. */
export const statusOf = (kind: FailureKind): FailureStatus => FAILURES[kind].status;

/** What the answer of an unexpected error says; its own text may hold SQL or secrets. */
export const INTERNAL_MESSAGE = "Internal error. Consult logs/traces to have more details.";
