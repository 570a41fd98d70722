import { AppError, type FailureKind } from "#platform/errors.ts";

/** Error codes of RFC 6749, 6750, 8628 and 8707 that the endpoints for tokens use. The last code is for requests that come too often. */
export const OAUTH_ERRORS = [
  "invalid_request",
  "invalid_client",
  "invalid_grant",
  "invalid_scope",
  "unauthorized_client",
  "unsupported_grant_type",
  "insufficient_scope",
  "authorization_pending",
  "slow_down",
  "access_denied",
  "expired_token",
  "invalid_target",
  "server_error",
  "temporarily_unavailable",
] as const;
export type OAuthErrorCode = (typeof OAUTH_ERRORS)[number];

/** A refusal of the token endpoint. */
export class OAuthError extends AppError {
  readonly error: OAuthErrorCode;
  readonly description: string | undefined;

  constructor(error: OAuthErrorCode, description?: string) {
    super(error === "invalid_client" ? "UNAUTHENTICATED" : "VALIDATION", description ?? error);
    this.name = "OAuthError";
    this.error = error;
    this.description = description;
  }
}

/** Kinds of failures that are not the client's fault. */
const SERVER_FAILURES: ReadonlySet<FailureKind> = new Set([
  "INTERNAL",
  "OVERLOADED",
  "STORAGE_FULL",
]);

/** Converts any expected failure to an error of the token endpoint. */
export function toOAuthError(error: AppError): OAuthError {
  if (error instanceof OAuthError) return error;
  if (error.kind === "RATE_LIMITED") {
    return new OAuthError("temporarily_unavailable", error.message);
  }
  const isOurs = SERVER_FAILURES.has(error.kind);
  return new OAuthError(isOurs ? "server_error" : "invalid_request", error.message);
}

/** Converts a text to the characters and the length of an `error_description` (RFC 6749 §5.2). */
export const toDescription = (text: string): string =>
  text
    .replaceAll('"', "'")
    .replaceAll(/[^\x20-\x5b\x5d-\x7e]/g, "?")
    .slice(0, DESCRIPTION_LENGTH_MAX);

/** Longest description, in characters. It may repeat text of the client. */
const DESCRIPTION_LENGTH_MAX = 300;
