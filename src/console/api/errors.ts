import { parseJson } from "#platform/json.ts";

/** The header of every answer by which the server's log and the list of failed requests name the request. */
export const REQUEST_ID_HEADER = "x-request-id";

/** The answer of a request that failed, or the reason why there was none. */
export class ApiError extends Error {
  override name = "ApiError";
  /** The HTTP status; 0 if no answer came. */
  readonly status: number;
  /** The code of the answer, such as `INSUFFICIENT_FUND`; empty if the answer has none. */
  readonly code: string;
  readonly requestId: string | undefined;
  /** Where in the request the error is, for errors of scripts, JSON and schemas. */
  readonly details: string | undefined;

  constructor(
    message: string,
    {
      status,
      code,
      requestId,
      details,
    }: Pick<ApiError, "status" | "code" | "requestId"> & { readonly details?: string | undefined },
  ) {
    super(message);
    this.details = details;
    this.status = status;
    this.code = code;
    this.requestId = requestId;
  }

  static async from(response: Response): Promise<ApiError> {
    const { status, headers } = response;
    const {
      code = "",
      message = `The server answered ${status}.`,
      details,
    } = readBody(await response.text());
    return new ApiError(message, {
      status,
      code,
      details,
      requestId: headers.get(REQUEST_ID_HEADER) ?? undefined,
    });
  }

  /** The error of a request without an answer: the server is away, or the connection broke. */
  static unreachable(cause: unknown): ApiError {
    const error = new ApiError("The server cannot be reached.", {
      status: 0,
      code: "",
      requestId: undefined,
    });
    error.cause = cause;
    return error;
  }

  /** Whether the request may succeed when it is sent again unchanged. */
  get isTemporary(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 502;
  }
}

interface Problem {
  readonly code?: string;
  readonly message?: string;
  readonly details?: string | undefined;
}

/** The code and message of the bodies of errors: `errorCode` of the modules, `error` of OAuth. */
function readBody(text: string): Problem {
  let body: unknown;
  try {
    body = parseJson(text);
  } catch {
    return {};
  }
  if (typeof body !== "object" || body === null) return {};
  const {
    errorCode,
    errorMessage,
    error,
    error_description: description,
    details,
  } = body as Record<string, unknown>;
  const code = textOf(errorCode) ?? textOf(error);
  const message = textOf(errorMessage) ?? textOf(description);
  return {
    ...(code === undefined ? {} : { code }),
    ...(message === undefined ? {} : { message }),
    details: textOf(details),
  };
}

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
