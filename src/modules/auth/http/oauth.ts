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
import {
  DeviceForm,
  DeviceResponse,
  DiscoveryResponse,
  KeysResponse,
  TokenForm,
  TokenResponse,
} from "./oauth-schemas.ts";
import { DEVICE_PATH, toDeviceView, toDiscoveryView, toTokenView } from "./oauth-views.ts";
import { SigningKeys } from "#modules/auth/keys/signing-keys.ts";
import { ClientAuthenticator } from "#modules/auth/tokens/client-authenticator.ts";
import { authorizeDevice } from "#modules/auth/tokens/device-authorization.ts";
import { TokenService } from "#modules/auth/tokens/token-service.ts";
import { verifierOf } from "#modules/auth/verification/verifier.ts";
import { takeRate } from "#platform/admission/rates.ts";
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

/** Registers the device authorization endpoint (RFC 8628). A request counts against the rate of its address before its client is looked up. */
function registerDeviceAuthorization(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: DEVICE_PATH,
      operationId: "authorizeDevice",
      work: "credential",
      summary: "Begin a login of a device",
      description:
        'For programs without a browser of their own: the device shows the code and the address of the page, a person approves there, and the device polls the token endpoint. A client may do so if its metadata has `deviceLogin: "true"`.',
      tags,
      scope: "public",
      body: DeviceForm,
      bodyKind: "form",
      bodyBytesMax: TOKEN_REQUEST_BYTES_MAX,
      responses: {
        200: json("The codes", DeviceResponse),
        400: REFUSED,
        401: WRONG_SECRET,
        429: TOO_MANY,
      },
      failure: toErrorAnswer,
    },
    async ({ body, context, c }) => {
      const request = clientRequestOf(c, body);
      await takeRate(c.env.PAGE_RATE, request.address);
      const issuer = issuerOfRequest(c);
      const clients = ClientAuthenticator.from(context, deploymentOf(c).scopes);
      const codes = await authorizeDevice({ ...request, issuer }, { context, clients });
      return { status: 200, body: toDeviceView(issuer, codes), headers: NO_STORE };
    },
  );
}

const oauth = operations({ tags, scope: "public" });

/** Registers discovery, keys, the token endpoint and that for devices. */
export const registerOAuth = registration(
  oauth.get("/.well-known/openid-configuration", {
    operationId: "getOIDCWellKnowns",
    summary: "Discover what this OAuth 2 server can do",
    answer: ok.plain("The discovery document", DiscoveryResponse),
    handle: ({ c }) => toDiscoveryView(issuerOfRequest(c), deploymentOf(c).scopes),
  }),
  oauth.get("/keys", {
    operationId: "getKeys",
    summary: "Show the keys that verify tokens",
    answer: ok.plain("A JSON Web Key Set", KeysResponse),
    handle: async ({ c }) => ({ keys: await SigningKeys.from(c.env).list() }),
  }),
  registerToken,
  registerDeviceAuthorization,
);
