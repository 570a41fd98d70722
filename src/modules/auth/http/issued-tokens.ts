import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import {
  clientRequestOf,
  NO_STORE,
  REFUSED,
  WRONG_SECRET,
  TOO_MANY,
  toErrorAnswer,
} from "./oauth-answers.ts";
import {
  IntrospectionForm,
  IntrospectionResponse,
  OAuthErrorResponse,
  RevocationForm,
  UserInfoForm,
  UserInfoResponse,
} from "./oauth-schemas.ts";
import { toIntrospectionView, toUserInfoView } from "./oauth-views.ts";
import { TOKEN_REQUEST_BYTES_MAX } from "./oauth.ts";
import { OAuthError } from "#modules/auth/core/oauth-error.ts";
import { ClientAuthenticator } from "#modules/auth/tokens/client-authenticator.ts";
import { usesBasic } from "#modules/auth/tokens/credentials.ts";
import { introspect } from "#modules/auth/tokens/introspect.ts";
import { revokeToken } from "#modules/auth/tokens/revoke-token.ts";
import { userInfo } from "#modules/auth/tokens/userinfo.ts";
import { readBearer } from "#modules/auth/verification/token-verifier.ts";
import { verifierOf } from "#modules/auth/verification/verifier.ts";
import { type AppEnv, deploymentOf, empty, endpoint, json } from "#platform/http/index.ts";

const tags = ["Tokens"];

/** Registers introspection, revocation and userinfo, which are about tokens that were issued. */
export function registerIssuedTokens(app: OpenAPIHono<AppEnv>): void {
  registerIntrospection(app);
  registerRevocation(app);
  registerUserInfo(app);
}

function registerIntrospection(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/oauth/introspect",
      operationId: "introspectToken",
      work: "credential",
      summary: "Ask whether a token is valid, and what it allows",
      description:
        "The client authenticates by a `Basic` Authorization header. It learns of tokens that it is in the audience of; a trusted client learns of all.",
      tags,
      scope: "public",
      body: IntrospectionForm,
      bodyKind: "form",
      bodyBytesMax: TOKEN_REQUEST_BYTES_MAX,
      responses: {
        200: json("What is known of it", IntrospectionResponse),
        400: REFUSED,
        401: WRONG_SECRET,
        429: TOO_MANY,
      },
      failure: toErrorAnswer,
    },
    async ({ body: { token }, context, c }) => {
      const request = clientRequestOf(c, {});
      if (!usesBasic(request.authorization)) throw new OAuthError("invalid_client");
      const { scopes } = deploymentOf(c);
      const clients = ClientAuthenticator.from(context, scopes);
      const caller = await clients.authenticate(request, { allowsPublic: false });
      const reader = verifierOf(c.env);
      const state = await introspect(context, { token, caller, url: c.req.url, reader });
      return { status: 200, body: toIntrospectionView(state), headers: NO_STORE };
    },
  );
}

function registerRevocation(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/revoke",
      operationId: "revokeToken",
      work: "credential",
      summary: "Revoke a token of one's own",
      description:
        "With a refresh token, all tokens end that go back to the same login. An access token is refused everywhere within a minute. A token that is not valid any more is no error.",
      tags,
      scope: "public",
      body: RevocationForm,
      bodyKind: "form",
      bodyBytesMax: TOKEN_REQUEST_BYTES_MAX,
      responses: {
        200: empty("The token is not valid now"),
        400: REFUSED,
        401: WRONG_SECRET,
        429: TOO_MANY,
      },
      failure: toErrorAnswer,
    },
    async ({ body: { token, ...form }, context, c }) => {
      const { scopes } = deploymentOf(c);
      const clients = ClientAuthenticator.from(context, scopes);
      const caller = await clients.authenticate(clientRequestOf(c, form), { allowsPublic: true });
      await revokeToken(context, { token, caller, url: c.req.url, reader: verifierOf(c.env) });
      return { status: 200, headers: NO_STORE };
    },
  );
}

const USERINFO = {
  path: "/userinfo",
  summary: "Ask whom an access token is about",
  tags,
  scope: "public",
  responses: {
    200: json("The person", UserInfoResponse),
    401: json("There is no token, or it is not valid", OAuthErrorResponse),
    403: json("The token is about nobody, or lacks the scope `openid`", OAuthErrorResponse),
  },
} as const;

function registerUserInfo(app: OpenAPIHono<AppEnv>): void {
  endpoint(app, { ...USERINFO, method: "get", operationId: "getUserInfo" }, ({ c }) =>
    answerUserInfo(c, undefined),
  );
  endpoint(
    app,
    {
      ...USERINFO,
      method: "post",
      operationId: "postUserInfo",
      body: UserInfoForm,
      bodyKind: "form",
      bodyBytesMax: TOKEN_REQUEST_BYTES_MAX,
    },
    ({ c, body }) => answerUserInfo(c, body.access_token),
  );
}

async function answerUserInfo(c: Context<AppEnv>, posted: string | undefined) {
  const text = posted ?? readBearer(c.req.header("authorization") ?? null);
  const token = await verifierOf(c.env).read(text, c.req.url);
  const info = await userInfo(c.var.context, token);
  if (info !== undefined) {
    return { status: 200 as const, body: toUserInfoView(info), headers: NO_STORE };
  }
  const challenge = 'Bearer realm="florin", error="insufficient_scope", scope="openid"';
  return {
    status: 403 as const,
    body: { error: "insufficient_scope" as const },
    headers: { ...NO_STORE, "www-authenticate": challenge },
  };
}
