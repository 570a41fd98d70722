import { env } from "cloudflare:workers";
import { createLocalJWKSet, decodeJwt, jwtVerify } from "jose";
import * as oauth from "oauth4webapi";
import { describe, expect, test } from "vitest";
import { makeClient } from "#test/support/auth/clients.ts";
import {
  AUTH_TIME,
  codeFor,
  freshPersonClient,
  type PersonClient,
  REDIRECT_URI,
  VERIFIER,
} from "#test/support/auth/person-clients.ts";
import {
  ask,
  basic,
  type Form,
  post,
  type TokenAnswer,
} from "#test/support/auth/token-requests.ts";
import { api, BASE_URL, send, token } from "#test/support/platform/api.ts";

const ISSUER = `${BASE_URL}/api/auth`;

async function redeem(client: PersonClient, changes: Form = {}) {
  const code = await codeFor(client);
  return ask({
    grant_type: "authorization_code",
    code,
    redirect_uri: REDIRECT_URI,
    code_verifier: VERIFIER,
    ...client.credentials,
    ...changes,
  });
}

const refresh = (client: PersonClient, refreshToken = "", changes: Form = {}) =>
  ask({
    grant_type: "refresh_token",
    refresh_token: refreshToken,
    ...client.credentials,
    ...changes,
  });

async function introspect(client: PersonClient, text: string): Promise<unknown> {
  const caller = await makeClient({ trusted: true });
  const path = "/oauth/introspect";
  return (await post(path, { token: text }, basic(caller.id, caller.secret))).json();
}

async function claimsOf(text: string) {
  const keys = await (await send("/api/auth/keys")).json<{ keys: [] }>();
  return (await jwtVerify(text, createLocalJWKSet(keys), { issuer: ISSUER })).payload;
}

describe("a code", () => {
  test("an authorization code gives tokens of the person, which name the client and this server", async () => {
    const client = await freshPersonClient();
    const answer = await redeem(client);
    expect(answer).toMatchObject({ status: 200, expires_in: 300 });
    expect(answer.scope).toBe("openid email profile offline_access ledger:read");
    const claims = await claimsOf(answer.access_token);
    expect(claims).toMatchObject({
      aud: [client.id, BASE_URL],
      client_id: client.id,
      sub: client.person,
      scope: "openid offline_access ledger:read",
    });
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(300);
  });

  test("an authorization code gives an ID token, which is no access token", async () => {
    const client = await freshPersonClient({ scopes: ["auth:read"] });
    const { id_token: idToken = "" } = await redeem(client);
    const claims = await claimsOf(idToken);
    expect(claims).toMatchObject({
      sub: client.person,
      aud: [client.id],
      azp: client.id,
      client_id: client.id,
      nonce: "n-0",
      auth_time: AUTH_TIME,
    });
    expect(claims["at_hash"]).toMatch(/^[\w-]{22}$/);
    expect(claims["c_hash"]).toMatch(/^[\w-]{22}$/);
    expect((await api("/api/auth/clients", { token: idToken })).status).toBe(401);
  });

  test("an authorization code gives an independent client tokens that it accepts, for a client with a secret", async () => {
    const client = await freshPersonClient({ isPublic: false });
    const options = {
      [oauth.allowInsecureRequests]: true,
      [oauth.customFetch]: (url: string, init: object) => send(url, init),
    };
    const issuer = new URL(ISSUER);
    const found = await oauth.discoveryRequest(issuer, options);
    const server = await oauth.processDiscoveryResponse(issuer, found);
    const self = { client_id: client.id };
    const method = oauth.ClientSecretBasic(client.secret);
    const back = new URL(`${REDIRECT_URI}?code=${await codeFor(client)}&state=s&iss=${ISSUER}`);
    const parameters = oauth.validateAuthResponse(server, self, back, "s");
    const answer = await oauth.authorizationCodeGrantRequest(
      ...([server, self, method, parameters, REDIRECT_URI, VERIFIER, options] as const),
    );
    const expected = { expectedNonce: "n-0", requireIdToken: true };
    const tokens = await oauth.processAuthorizationCodeResponse(server, self, answer, expected);
    await oauth.validateApplicationLevelSignature(server, answer, options);

    const asked = await oauth.userInfoRequest(server, self, tokens.access_token, options);
    const info = await oauth.processUserInfoResponse(server, self, client.person, asked);
    expect(info).toEqual({
      sub: client.person,
      name: "Ann",
      email: client.email,
      email_verified: true,
    });

    const used = tokens.refresh_token ?? "";
    const renewed = await oauth.refreshTokenGrantRequest(server, self, method, used, options);
    const next = await oauth.processRefreshTokenResponse(server, self, renewed);
    expect(next.refresh_token).not.toBe(used);

    const about = await oauth.introspectionRequest(
      ...([server, self, method, next.access_token, options] as const),
    );
    const state = await oauth.processIntrospectionResponse(server, self, about);
    expect(state).toMatchObject({ active: true, sub: client.person, client_id: client.id });

    const last = next.refresh_token ?? "";
    const revoked = await oauth.revocationRequest(server, self, method, last, options);
    await oauth.processRevocationResponse(revoked);
    const again = await oauth.refreshTokenGrantRequest(server, self, method, last, options);
    const refused = oauth.processRefreshTokenResponse(server, self, again);
    await expect(refused).rejects.toMatchObject({ error: "invalid_grant" });
  });

  test("an authorization code is refused where the person is gone", async () => {
    const client = await freshPersonClient();
    await env.DB.prepare("DELETE FROM auth_people WHERE id = ?").bind(client.person).run();
    expect(await redeem(client)).toMatchObject({ status: 400, error: "invalid_grant" });
  });

  test("an authorization code gives no refresh token and no ID token that nobody has asked for", async () => {
    const client = await freshPersonClient();
    const code = await codeFor(client, { scopes: ["ledger:read"] });
    const answer = await redeem(client, { code });
    expect([answer.refresh_token, answer.id_token]).toEqual([undefined, undefined]);
  });

  test("an authorization code that is replayed ends the tokens that were made from it", async () => {
    const client = await freshPersonClient();
    const code = await codeFor(client);
    const first = await redeem(client, { code });
    expect(await introspect(client, first.access_token)).toMatchObject({ active: true });
    expect(await redeem(client, { code })).toMatchObject({ status: 400, error: "invalid_grant" });
    expect(await introspect(client, first.access_token)).toEqual({ active: false });
    expect(await refresh(client, first.refresh_token)).toMatchObject({ error: "invalid_grant" });
  });
});

describe("a refresh token", () => {
  test("a refresh token gives new tokens and the next refresh token", async () => {
    const client = await freshPersonClient();
    const first = await redeem(client);
    const second = await refresh(client, first.refresh_token);
    expect(second).toMatchObject({ status: 200, expires_in: 300, scope: first.scope });
    expect(second.refresh_token).not.toBe(first.refresh_token);
    const claims = await claimsOf(second.id_token ?? "");
    expect(claims).toMatchObject({ sub: client.person, auth_time: AUTH_TIME });
    expect(claims["nonce"]).toBeUndefined();
    expect((await refresh(client, second.refresh_token)).status).toBe(200);
  });

  test("a refresh token that is used again ends its family", async () => {
    const client = await freshPersonClient();
    const first = await redeem(client);
    const second = await refresh(client, first.refresh_token);
    const reused = await refresh(client, first.refresh_token);
    expect(reused).toMatchObject({ status: 400, error: "invalid_grant" });
    expect(await refresh(client, second.refresh_token)).toMatchObject({ error: "invalid_grant" });
    expect(await introspect(client, second.access_token)).toEqual({ active: false });
  });

  test("a refresh token is used once, however many use it at the same time", async () => {
    const client = await freshPersonClient();
    const { refresh_token: used } = await redeem(client);
    const answers = await Promise.all(Array.from({ length: 6 }, () => refresh(client, used)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status, error } of answers) {
      if (status !== 200) expect(error).toBe("invalid_grant");
    }
  });

  test("a refresh token gives fewer scopes where fewer are asked for, and none beyond those of the grant", async () => {
    const client = await freshPersonClient();
    const first = await redeem(client);
    const fewer = await refresh(client, first.refresh_token, { scope: "ledger:read" });
    expect(decodeJwt(fewer.access_token)["scope"]).toBe("ledger:read");
    expect(fewer.id_token).toBeUndefined();
    const more = await refresh(client, fewer.refresh_token, { scope: "ledger:read ledger:write" });
    expect(more).toMatchObject({ status: 400, error: "invalid_scope" });
    // The refused request leaves the refresh token unused, and the grant as large as before.
    const all = await refresh(client, fewer.refresh_token);
    expect(decodeJwt(all.access_token)["scope"]).toBe("openid offline_access ledger:read");
  });

  test("a refresh token gives no scope that the client or the person has lost meanwhile", async () => {
    const client = await freshPersonClient({ scopes: ["ledger:read", "wallets:read"] });
    const code = await codeFor(client, {
      scopes: ["offline_access", "ledger:read", "wallets:read"],
    });
    const first = await redeem(client, { code });
    await env.DB.prepare("UPDATE auth_people SET scopes = ? WHERE id = ?")
      .bind('["wallets:read"]', client.person)
      .run();
    const second = await refresh(client, first.refresh_token);
    expect(second.scope).toBe("offline_access wallets:read");
    await api(`/api/auth/clients/${client.id}`, {
      method: "PUT",
      body: { name: "x", public: true, scopes: [] },
    });
    expect((await refresh(client, second.refresh_token)).scope).toBe("offline_access");
  });

  test("a refresh token of another client is refused, and stays good for its owner", async () => {
    const [client, other] = [await freshPersonClient(), await freshPersonClient()];
    const { refresh_token: used } = await redeem(client);
    expect(await refresh(other, used)).toMatchObject({ status: 400, error: "invalid_grant" });
    expect((await refresh(client, used)).status).toBe(200);
  });

  test("a refresh token ends with its client", async () => {
    const client = await freshPersonClient();
    const { refresh_token: used } = await redeem(client);
    await api(`/api/auth/clients/${client.id}`, { method: "DELETE" });
    expect(await refresh(client, used)).toMatchObject({ status: 401, error: "invalid_client" });
    const rows = env.DB.prepare("SELECT count(*) AS n FROM auth_grants WHERE client_id = ?");
    expect(await rows.bind(client.id).first("n")).toBe(0);
  });
});

describe("the endpoints for issued tokens", () => {
  test("the endpoints for issued tokens say who a person is to whom has asked for it", async () => {
    const client = await freshPersonClient();
    const code = await codeFor(client, { scopes: ["openid", "ledger:read"] });
    const { access_token: text } = await redeem(client, { code });
    const ask = (init: RequestInit) => send("/api/auth/userinfo", init);
    const headers = { authorization: `Bearer ${text}` };
    expect(await (await ask({ headers })).json()).toEqual({ sub: client.person });
    const posted = await ask({ method: "POST", body: new URLSearchParams({ access_token: text }) });
    expect(await posted.json()).toEqual({ sub: client.person });
    expect((await ask({})).status).toBe(401);
    const machine = await ask({
      headers: { authorization: `Bearer ${await token("ledger:read")}` },
    });
    expect(machine.status).toBe(403);
    expect(machine.headers.get("www-authenticate")).toContain('error="insufficient_scope"');
  });

  test("the endpoints for issued tokens tell a client of tokens for it, and of no others, unless it is trusted", async () => {
    const own = await makeClient({ scopes: ["ledger:read"] });
    const other = await makeClient({});
    const { access_token: text } = await ask({
      grant_type: "client_credentials",
      client_id: own.id,
      client_secret: own.secret,
      scope: "ledger:read",
    });
    const about = async (headers: Form, form: Form = { token: text }) => {
      const response = await post("/oauth/introspect", form, headers);
      return { status: response.status, ...(await response.json<object>()) };
    };
    expect(await about(basic(own.id, own.secret))).toMatchObject({
      status: 200,
      active: true,
      client_id: own.id,
      scope: "ledger:read",
      iss: ISSUER,
    });
    expect(await about(basic(other.id, other.secret))).toEqual({ status: 200, active: false });
    expect(await about(basic(own.id, "wrong"))).toEqual({ status: 401, error: "invalid_client" });
    const inForm = { token: text, client_id: own.id, client_secret: own.secret };
    expect(await about({}, inForm)).toEqual({ status: 401, error: "invalid_client" });
    const nothing = await about(basic(own.id, own.secret), { token: "a.b.c" });
    expect(nothing).toEqual({ status: 200, active: false });
  });

  test("the endpoints for issued tokens revoke a client's own access token, and no other's", async () => {
    const client = await freshPersonClient();
    const other = await freshPersonClient();
    const { access_token: text } = await redeem(client);
    const revoke = (form: Form) => post("/revoke", { token: text, ...form });
    const refused = await revoke(other.credentials);
    expect(refused.status).toBe(401);
    expect(await refused.json<TokenAnswer>()).toEqual({
      error: "invalid_client",
      error_description: "token was not issued for this client",
    });
    expect(await introspect(client, text)).toMatchObject({ active: true });
    for (let count = 0; count < 2; count++) {
      const revoked = await revoke({ ...client.credentials, token_type_hint: "access_token" });
      expect([revoked.status, await revoked.text()]).toEqual([200, ""]);
    }
    expect(await introspect(client, text)).toEqual({ active: false });
    const unknown = await post("/revoke", { token: "nothing", ...client.credentials });
    expect(unknown.status).toBe(200);
  });

  test("the endpoints for issued tokens revoke a refresh token with all that belongs to it", async () => {
    const client = await freshPersonClient();
    const answer = await redeem(client);
    const used = answer.refresh_token ?? "";
    expect(await introspect(client, used)).toMatchObject({ active: true, client_id: client.id });
    await post("/revoke", { token: used, ...client.credentials });
    expect(await introspect(client, used)).toEqual({ active: false });
    expect(await introspect(client, answer.access_token)).toEqual({ active: false });
    expect((await refresh(client, used)).error).toBe("invalid_grant");
  });
});
