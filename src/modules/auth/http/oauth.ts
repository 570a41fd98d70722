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
import {
  type AppEnv,
  deploymentOf,
  endpoint,
  json,
  ok,
  operations,
  registration,
} from "#platform/http/index.ts";

/** Largest request that concerns a token, in bytes. */
export const TOKEN_REQUEST_BYTES_MAX = 16 * 1024;

const tags = ["Tokens"];

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
    async ({ body, context, c }) => {
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

const oauth = operations({ tags, scope: "public" });

/** Registers discovery, keys and the token endpoint. */
export const registerOAuth = registration(
  oauth.get("/.well-known/openid-configuration", {
    operationId: "getOIDCWellKnowns",
    summary: "Discover what this OAuth 2 server can do",
    answer: ok.plain("The discovery document", DiscoveryResponse),
    handle: ({ c }) => {
      const grantTypes = grantTypesOf(authSettings.of(c.env));
      return toDiscoveryView(issuerOfRequest(c), {
        scopes: deploymentOf(c).scopes,
        grantTypes,
      });
    },
  }),
  oauth.get("/keys", {
    operationId: "getKeys",
    summary: "Show the keys that verify tokens",
    answer: ok.plain("A JSON Web Key Set", KeysResponse),
    handle: async ({ c }) => ({ keys: await SigningKeys.from(c.env).list() }),
  }),
  registerToken,
);
