/**
 * How a call of a provider can fail, which decides what is done next:
 *
 * | Kind | Examples | Then |
 * | --- | --- | --- |
 * | `invalid` | a refused request, a bad configuration, an operation that the provider does not offer | nothing is repeated |
 * | `rate-limited` | 429, with `Retry-After` or without | the call is repeated after that time |
 * | `unreachable` | no answer to a request that changes nothing | the call is repeated |
 * | `unknown` | no answer to any other request, a broken answer, 5xx: the provider may have done what was asked | the call is repeated with the same idempotency key |
 */
export type ConnectorErrorKind = "invalid" | "rate-limited" | "unreachable" | "unknown";

export class ConnectorError extends Error {
  readonly kind: ConnectorErrorKind;
  /** How long the provider has asked to wait before the next request, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(
    kind: ConnectorErrorKind,
    message: string,
    options?: { readonly cause?: unknown; readonly retryAfterMs?: number },
  ) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause });
    this.name = "ConnectorError";
    this.kind = kind;
    this.retryAfterMs = options?.retryAfterMs;
  }
}

/** An object of a provider does not fit its schema. */
export class InvalidObjectError extends ConnectorError {
  constructor(message: string) {
    super("invalid", message);
  }
}
