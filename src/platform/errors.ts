/** The wire form of an expected failure: its status and code. */
export interface ErrorSpec {
  readonly status: ErrorStatus;
  /** The `errorCode` of the answer. */
  readonly code: string;
}

/** The failures of one module, or of the platform, by kind. */
export type ErrorTable = Readonly<Record<string, ErrorSpec>>;

export type ErrorStatus = 400 | 401 | 404 | 405 | 409 | 412 | 413 | 415 | 429 | 500 | 503 | 507;

/** The failures that every module may have. */
export const PLATFORM_ERRORS = {
  VALIDATION: { status: 400, code: "VALIDATION" },
  UNAUTHENTICATED: { status: 401, code: "VALIDATION" },
  METHOD_NOT_ALLOWED: { status: 405, code: "VALIDATION" },
  EXCLUSIVE_OPTIONS: { status: 412, code: "VALIDATION" },
  BODY_TOO_LARGE: { status: 413, code: "VALIDATION" },
  RATE_LIMITED: { status: 429, code: "VALIDATION" },
  NOT_FOUND: { status: 404, code: "NOT_FOUND" },
  CONFLICT: { status: 409, code: "CONFLICT" },
  INTERNAL: { status: 500, code: "INTERNAL" },
  STORAGE_FULL: { status: 507, code: "INTERNAL" },
  OVERLOADED: { status: 503, code: "INTERNAL" },
  DISARMED: { status: 503, code: "INTERNAL" },
} as const satisfies ErrorTable;

/** The `details` of the refusals of a disarmed deployment, by which programs know them: their code is one that Formance's clients know. */
export const DISARMED_DETAILS = "disarmed";

/**
 * The kinds of failures, by the module that declares them. A module adds its kinds by declaring a member of this interface, so that a
 * misspelt kind is a type error.
 */
export interface ErrorKinds {
  readonly platform: keyof typeof PLATFORM_ERRORS;
}
export type FailureKind = ErrorKinds[keyof ErrorKinds];

/** An expected failure as plain data, for crossing an RPC boundary. */
export interface Failure {
  readonly kind: FailureKind;
  readonly message: string;
  readonly details?: string;
  readonly retryAfterSeconds?: number;
}

/** Optional parts of an expected failure. */
export interface FailureOptions {
  readonly cause?: unknown;
  readonly details?: string;
  /** Time after which the request may succeed, in seconds, if known. */
  readonly retryAfterSeconds?: number;
  /** Headers of the answer, by lower-case names. They do not cross an RPC boundary. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What has refused the request, for counts of refusals. It does not cross an RPC boundary. */
  readonly refusedBy?: "admission" | "quota";
}

const NO_HEADERS: Readonly<Record<string, string>> = {};

/** An expected failure. Anything else that is thrown is a bug and answers a fixed 500 text. */
export class AppError extends Error {
  readonly kind: FailureKind;
  readonly details: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly refusedBy: FailureOptions["refusedBy"];

  constructor(kind: FailureKind, message: string, options?: FailureOptions) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause });
    this.name = "AppError";
    this.kind = kind;
    this.details = options?.details;
    this.retryAfterSeconds = options?.retryAfterSeconds;
    this.headers = options?.headers ?? NO_HEADERS;
    this.refusedBy = options?.refusedBy;
  }
}

export interface ErrorBody {
  errorCode: string;
  errorMessage: string;
  details?: string;
}

/** Several tables of failures as one, which gives statuses, codes and wire forms. */
export class ErrorCatalogue {
  readonly #table: ErrorTable;

  constructor(...tables: readonly ErrorTable[]) {
    this.#table = Object.assign({}, PLATFORM_ERRORS, ...tables) as ErrorTable;
  }

  /** All codes, in the order of the tables. */
  get codes(): string[] {
    return [...new Set(Object.values(this.#table).map(({ code }) => code))];
  }

  statusOf(kind: FailureKind): ErrorStatus {
    return this.#specOf(kind).status;
  }

  codeOf(kind: FailureKind): string {
    return this.#specOf(kind).code;
  }

  /**
   * The wire form of a failure. The message starts with the code in square brackets. `clientCodes` rename codes for clients that expect
   * other ones.
   */
  toBody(
    { kind, message, details }: AppError,
    clientCodes: Readonly<Record<string, string>> = {},
  ): ErrorBody {
    const known = this.codeOf(kind);
    const code = clientCodes[known] ?? known;
    return {
      errorCode: code,
      errorMessage: `[${code}] ${message}`,
      ...(details === undefined ? {} : { details }),
    };
  }

  #specOf(kind: FailureKind): ErrorSpec {
    const spec = this.#table[kind];
    if (spec === undefined) throw new Error(`no module declares the failure ${kind}`);
    return spec;
  }
}

/** The message of the answer to an unexpected error. The error's own text may hold SQL or secrets. */
export const INTERNAL_MESSAGE = "Internal error. Consult logs/traces to have more details.";

/** An error that the operator can fix. Its message is a sentence, which commands print without a stack. */
export class OperatorError extends Error {
  override name = "OperatorError";
}
