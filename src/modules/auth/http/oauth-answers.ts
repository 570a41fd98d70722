import type { Context } from "hono";
import { OAuthErrorResponse } from "./oauth-schemas.ts";
import { toDescription, toOAuthError } from "#modules/auth/core/oauth-error.ts";
import { usesBasic } from "#modules/auth/tokens/credentials.ts";
import type { ClientRequest } from "#modules/auth/tokens/requests.ts";
import { issuerOf } from "#modules/auth/verification/issuer.ts";
import type { AppError } from "#platform/errors.ts";
import { type AppEnv, json } from "#platform/http/index.ts";
import { addressOf } from "#platform/http/sender/address.ts";
import { platformSettings } from "#platform/platform-settings.ts";

/** Header of answers about tokens, which no cache may keep. */
export const NO_STORE = { "cache-control": "no-store" };

/** Failures of the endpoints at which clients authenticate. */
export const REFUSED = json("The request is refused: `error` says why", OAuthErrorResponse);
export const WRONG_SECRET = json(
  "The client is unknown or its secret is wrong",
  OAuthErrorResponse,
);
export const TOO_MANY = json("Too many attempts have failed: try again later", OAuthErrorResponse);

/** The answer to a failure (RFC 6749 §5.2): 401 for a client that failed to authenticate, 429 for too many attempts, 400 for everything else. */
export function toErrorAnswer(failure: AppError, c: Context<AppEnv>) {
  const { error, description } = toOAuthError(failure);
  const body = {
    error,
    ...(description === undefined ? {} : { error_description: toDescription(description) }),
  };
  if (failure.kind === "RATE_LIMITED") {
    const headers = { ...NO_STORE, "retry-after": String(failure.retryAfterSeconds ?? 1) };
    return { status: 429 as const, body, headers };
  }
  if (error !== "invalid_client") return { status: 400 as const, body, headers: NO_STORE };
  const challenge = usesBasic(authorizationOf(c))
    ? { "www-authenticate": 'Basic realm="florin"' }
    : {};
  return { status: 401 as const, body, headers: { ...NO_STORE, ...challenge } };
}

const authorizationOf = (c: Context<AppEnv>): string | null =>
  c.req.header("authorization") ?? null;

/** The credentials of a request's client, and the address of the request. */
export const clientRequestOf = <F extends ClientRequest["form"]>(c: Context<AppEnv>, form: F) => ({
  form,
  authorization: authorizationOf(c),
  address: addressOf(c.req.raw, c.env),
});

/** The issuer of this server for a request. */
export const issuerOfRequest = (c: Context<AppEnv>): string =>
  issuerOf(platformSettings.of(c.env).FLORIN_PUBLIC_URL, c.req.url);
