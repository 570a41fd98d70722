import type { OpenAPIHono } from "@hono/zod-openapi";
import {
  DiscoveryResponse,
  KeysResponse,
  OAuthErrorResponse,
  TokenForm,
  TokenResponse,
} from "./schemas.ts";
import { toDiscoveryView, toTokenView } from "./views.ts";
import { toDescription, toOAuthError } from "#modules/auth/core/oauth-error.ts";
import { usesBasic } from "#modules/auth/credentials.ts";
import { issuerOf } from "#modules/auth/issuer.ts";
import { SigningKeys } from "#modules/auth/signing-keys.ts";
import { TokenService } from "#modules/auth/token-service.ts";
import type { AppError } from "#platform/errors.ts";
import type { AppEnv } from "#platform/http/context.ts";
import { endpoint, json } from "#platform/http/endpoint.ts";
import { platformSettings } from "#platform/platform-settings.ts";

/** Largest request for a token, in bytes. */
const TOKEN_REQUEST_BYTES_MAX = 16 * 1024;

const tags = ["Tokens"];
const NO_STORE = { "cache-control": "no-store" };

/** The OAuth 2 server: discovery, keys and the token endpoint. */
export function registerOAuth(app: OpenAPIHono<AppEnv>): void {
  registerDiscovery(app);
  registerToken(app);
}

function registerDiscovery(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/.well-known/openid-configuration",
      operationId: "getOIDCWellKnowns",
      summary: "Discover what this OAuth 2 server can do",
      tags,
      scope: "public",
      responses: { 200: json("The discovery document", DiscoveryResponse) },
    },
    ({ c }) => ({
      status: 200,
      body: toDiscoveryView(
        issuerOf(platformSettings.of(c.env).FLORIN_PUBLIC_URL, c.req.url),
        c.var.scopes,
      ),
    }),
  );
  endpoint(
    app,
    {
      method: "get",
      path: "/keys",
      operationId: "getKeys",
      summary: "Show the keys that verify tokens",
      tags,
      scope: "public",
      responses: { 200: json("A JSON Web Key Set", KeysResponse) },
    },
    async ({ c }) => ({ status: 200, body: { keys: await SigningKeys.from(c.env).list() } }),
  );
}

function registerToken(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/oauth/token",
      operationId: "createToken",
      summary: "Get an access token",
      description:
        "Send the client's id and secret in the form or in a `Basic` Authorization header. If both are there, the header counts.",
      tags,
      scope: "public",
      body: TokenForm,
      bodyKind: "form",
      bodyBytesMax: TOKEN_REQUEST_BYTES_MAX,
      responses: {
        200: json("The token", TokenResponse),
        400: json("The request is refused: `error` says why", OAuthErrorResponse),
        401: json("The client is unknown or its secret is wrong", OAuthErrorResponse),
      },
      failure: (error, c) => toErrorAnswer(error, c.req.header("authorization") ?? null),
    },
    async ({ body, c }) => {
      const token = await TokenService.from(c.var.context, c.var.scopes).issue({
        grantType: body.grant_type,
        scope: body.scope,
        authorization: c.req.header("authorization") ?? null,
        clientId: body.client_id,
        clientSecret: body.client_secret,
        issuer: issuerOf(platformSettings.of(c.env).FLORIN_PUBLIC_URL, c.req.url),
      });
      return { status: 200, body: toTokenView(token), headers: NO_STORE };
    },
  );
}

/** RFC 6749 §5.2: 401 for a client that failed to authenticate, 400 for everything else. */
function toErrorAnswer(failure: AppError, authorization: string | null) {
  const { error, description } = toOAuthError(failure);
  const challenge = usesBasic(authorization) ? { "www-authenticate": 'Basic realm="florin"' } : {};
  return {
    status: error === "invalid_client" ? (401 as const) : (400 as const),
    body: {
      error,
      ...(description === undefined ? {} : { error_description: toDescription(description) }),
    },
    headers: error === "invalid_client" ? { ...NO_STORE, ...challenge } : NO_STORE,
  };
}
