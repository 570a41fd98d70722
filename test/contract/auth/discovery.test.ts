import { createLocalJWKSet, jwtVerify } from "jose";
import * as oauth from "oauth4webapi";
import { expect, test } from "vitest";
import { makeClient } from "#test/support/auth/clients.ts";
import { ISSUER } from "#test/support/auth/logins.ts";
import { BASE_URL, freshName, send } from "#test/support/platform/api.ts";

test("the discovery document names what works and nothing else", async () => {
  const response = await send("/api/auth/.well-known/openid-configuration");
  const methods = ["none", "client_secret_basic", "client_secret_post"];
  expect(await response.json()).toEqual({
    issuer: ISSUER,
    authorization_endpoint: `${ISSUER}/authorize`,
    end_session_endpoint: `${ISSUER}/end_session`,
    token_endpoint: `${ISSUER}/oauth/token`,
    device_authorization_endpoint: `${ISSUER}/device_authorization`,
    jwks_uri: `${ISSUER}/keys`,
    scopes_supported: [
      "openid",
      "profile",
      "email",
      "phone",
      "address",
      "offline_access",
      ...[
        "ledger",
        "webhooks",
        "auth",
        "payments",
        "wallets",
        "orchestration",
        "reconciliation",
        "search",
      ].flatMap((name) => [`${name}:read`, `${name}:write`]),
      "florin:operate",
    ],
    response_types_supported: ["code"],
    response_modes_supported: ["query", "fragment"],
    code_challenge_methods_supported: ["S256"],
    prompt_values_supported: ["none", "login", "consent", "select_account"],
    authorization_response_iss_parameter_supported: true,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    ui_locales_supported: ["en"],
    introspection_endpoint: `${ISSUER}/oauth/introspect`,
    userinfo_endpoint: `${ISSUER}/userinfo`,
    revocation_endpoint: `${ISSUER}/revoke`,
    grant_types_supported: [
      "authorization_code",
      "refresh_token",
      "client_credentials",
      "urn:ietf:params:oauth:grant-type:device_code",
      "urn:ietf:params:oauth:grant-type:jwt-bearer",
    ],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"],
    token_endpoint_auth_methods_supported: methods,
    revocation_endpoint_auth_methods_supported: methods,
    introspection_endpoint_auth_methods_supported: ["client_secret_basic"],
    claims_supported: expect.arrayContaining(["sub", "email", "nonce"]) as unknown,
  });
});

test("RFC 8414 leads to the same document, and the root to that of the membership service", async () => {
  const known = await (await send("/api/auth/.well-known/openid-configuration")).json();
  const metadata = await send("/.well-known/oauth-authorization-server/api/auth");
  expect(await metadata.json()).toEqual(known);
  for (const path of ["openid-configuration", "oauth-authorization-server"]) {
    const root = await send(`/.well-known/${path}`);
    expect(root.headers.get("content-type")).toBe("application/json");
    expect(await root.json()).toMatchObject({
      issuer: BASE_URL,
      token_endpoint: `${ISSUER}/oauth/token`,
      device_authorization_endpoint: `${ISSUER}/device_authorization`,
      jwks_uri: `${ISSUER}/keys`,
      userinfo_endpoint: `${BASE_URL}/userinfo`,
    });
  }
});

test("the discovery document leads an independent client to a token that its keys verify", async () => {
  const issuer = new URL(ISSUER);
  const options = {
    [oauth.allowInsecureRequests]: true,
    [oauth.customFetch]: (url: string, init: object) => send(url, init),
  };
  const found = await oauth.discoveryRequest(issuer, { ...options, algorithm: "oidc" });
  const server = await oauth.processDiscoveryResponse(issuer, found);
  const client = { client_id: `${freshName()}+%&` };
  const { secret } = await makeClient({ id: client.client_id, scopes: ["ledger:read"] });
  for (const method of [oauth.ClientSecretBasic(secret), oauth.ClientSecretPost(secret)]) {
    const parameters = { scope: "ledger:read" };
    const answer = await oauth.clientCredentialsGrantRequest(
      server,
      client,
      method,
      parameters,
      options,
    );
    const granted = await oauth.processClientCredentialsResponse(server, client, answer);
    const keys = await (await send("/api/auth/keys")).json<{ keys: [] }>();
    const { payload } = await jwtVerify(granted.access_token, createLocalJWKSet(keys), {
      issuer: ISSUER,
      audience: client.client_id,
    });
    expect(payload["scope"]).toBe("ledger:read");
  }
  const wrong = oauth.ClientSecretBasic("wrong");
  const answer = await oauth.clientCredentialsGrantRequest(server, client, wrong, {}, options);
  await expect(
    oauth.processClientCredentialsResponse(server, client, answer),
  ).rejects.toMatchObject({
    cause: [{ scheme: "basic" }],
  });
});
