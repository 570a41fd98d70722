import type { OpenAPIHono } from "@hono/zod-openapi";
import {
  clientRequestOf,
  issuerOfRequest,
  NO_STORE,
  REFUSED,
  WRONG_SECRET,
  TOO_MANY,
  toErrorAnswer,
} from "./oauth-answers.ts";
import { DiscoveryResponse, KeysResponse, TokenForm, TokenResponse } from "./oauth-schemas.ts";
import { toDiscoveryView, toTokenView } from "./oauth-views.ts";
import { SigningKeys } from "#modules/auth/keys/signing-keys.ts";
import { authSettings } from "#modules/auth/settings.ts";
import { grantTypesOf, TokenService } from "#modules/auth/tokens/token-service.ts";
import { verifierOf } from "#modules/auth/verification/verifier.ts";
import { type AppEnv, deploymentOf } from "#platform/http/context.ts";
import { endpoint, json } from "#platform/http/endpoint.ts";

/** Largest request that concerns a token, in bytes. */
export const TOKEN_REQUEST_BYTES_MAX = 16 * 1024;

const tags = ["Tokens"];

/** Registers discovery, keys and the token endpoint. */
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
    ({ c }) => {
      const grantTypes = grantTypesOf(authSettings.of(c.env));
      const body = toDiscoveryView(issuerOfRequest(c), {
        scopes: deploymentOf(c).scopes,
        grantTypes,
      });
      return { status: 200, body };
    },
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
      work: "credential",
      summary: "Get an access token",
      description:
        "Send the client's id and secret in the form or in a `Basic` Authorization header. If both are there, the header counts. A public client sends its id only. Whoever presents an assertion needs no client.",
      tags,
      scope: "public",
      body: TokenForm,
      bodyKind: "form",
      bodyBytesMax: TOKEN_REQUEST_BYTES_MAX,
      responses: {
        200: json("The tokens", TokenResponse),
        400: REFUSED,
        401: WRONG_SECRET,
        429: TOO_MANY,
      },
      failure: toErrorAnswer,
    },
    async ({ body, c }) => {
      const context = c.get("context");
      const { scopes } = deploymentOf(c);
      const service = TokenService.from(context, { scopes, reader: verifierOf(c.env) });
      const tokens = await service.issue({
        ...clientRequestOf(c, body),
        url: c.req.url,
        issuer: issuerOfRequest(c),
      });
      return { status: 200, body: toTokenView(tokens), headers: NO_STORE };
    },
  );
}
