import { env } from "cloudflare:workers";
import { SignJWT } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import { redeemCode } from "#modules/auth/grants/authorization-codes.ts";
import { SigningKeys } from "#modules/auth/keys/signing-keys.ts";
import { systemContext } from "#platform/context.ts";
import { dumpOf } from "#test/support/auth/dump.ts";
import {
  authorizeUrl,
  freshApp,
  freshPerson,
  ISSUER,
  locationOf,
  logIn,
  openLogin,
  type TestApp,
  type TestPerson,
  VERIFIER,
} from "#test/support/auth/logins.ts";
import { PageVisitor } from "#test/support/auth/pages.ts";
import { api, freshName } from "#test/support/platform/api.ts";

let ada: TestPerson;
let app: TestApp;
/** The browser in which Ada has logged in. */
let visitor: PageVisitor;

beforeAll(async () => {
  ada = await freshPerson("ledger:read", "wallets:read");
  app = await freshApp();
  visitor = new PageVisitor();
  await logIn(visitor, authorizeUrl(app), ada);
});

const redeem = (url: URL, client: TestApp) =>
  redeemCode(systemContext(env, "test"), {
    code: url.searchParams.get("code") ?? "",
    clientId: client.id,
    isPublic: true,
    redirectUri: client.redirectUri,
    codeVerifier: VERIFIER,
  });

const idToken = async (claims: object): Promise<string> => {
  const { kid, privateKey } = await SigningKeys.from(env).current();
  return new SignJWT({ iss: ISSUER, sub: ada.id, aud: [app.id], azp: app.id, exp: 1, ...claims })
    .setProtectedHeader({ alg: "RS256", kid, typ: "JWT" })
    .sign(privateKey);
};

const CODE = /^[\w-]{43}$/;

const answerOf = async (url: string, browser = visitor): Promise<Record<string, string>> =>
  Object.fromEntries(new URL(locationOf(await browser.get(url))).searchParams);

describe("a login", () => {
  test("a login brings the browser back with a code for what was asked, the state and the issuer", async () => {
    const startedSeconds = Math.floor(Date.now() / 1000);
    const url = await logIn(new PageVisitor(), authorizeUrl(app), ada);
    expect(url.origin + url.pathname).toBe(app.redirectUri);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      code: expect.stringMatching(CODE) as string,
      state: "the-state",
      iss: ISSUER,
    });
    const grant = await redeem(url, app);
    expect(grant).toMatchObject({ clientId: app.id, subject: ada.id, nonce: "the-nonce" });
    expect(grant.scopes).toEqual(["openid", "ledger:read"]);
    expect(grant.authTime).toBeGreaterThanOrEqual(startedSeconds);
  });

  test("a login gives scopes that both the client and the person may have, and those of OpenID Connect", async () => {
    const client = await freshApp({ scopes: ["ledger:read", "ledger:write", "wallets:read"] });
    const scope = "openid email offline_access ledger:read ledger:write payments:read wallets:read";
    const url = await logIn(new PageVisitor(), authorizeUrl(client, { scope }), ada);
    const { scopes } = await redeem(url, client);
    expect(scopes).toEqual(["openid", "email", "offline_access", "ledger:read", "wallets:read"]);
  });

  test("a login is not asked for again in the same browser", async () => {
    const other = await freshApp();
    expect(await answerOf(authorizeUrl(other))).toMatchObject({ state: "the-state", iss: ISSUER });
    expect((await answerOf(authorizeUrl(other, { prompt: "none" })))["code"]).toMatch(CODE);
  });

  test("a login keeps the query of the redirect URI, and answers in the fragment where that is asked", async () => {
    const redirectUri = "https://app.example.com/callback?tenant=1%2F2";
    const client = { ...(await freshApp({ redirectUris: [redirectUri] })), redirectUri };
    const query = locationOf(await visitor.get(authorizeUrl(client)));
    expect(query.startsWith(`${redirectUri}&code=`)).toBe(true);
    const fragment = authorizeUrl(client, { response_mode: "fragment", state: undefined });
    const hash = locationOf(await visitor.get(fragment));
    expect(hash).toMatch(/tenant=1%2F2#code=[\w-]{43}&iss=/);
    expect(hash).not.toContain("state");
  });

  test("a login ends with an answer once", async () => {
    const browser = new PageVisitor();
    const form = await openLogin(browser, authorizeUrl(app));
    const sent = await browser.post("/api/auth/login", { ...form, ...ada });
    expect(sent.status).toBe(200);
    const callback = `/api/auth/authorize/callback?id=${form.request}`;
    const answers = await Promise.all([browser.get(callback), browser.get(callback)]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([302, 400]);
    expect((await browser.post("/api/auth/login", { ...form, ...ada })).status).toBe(400);
  });

  test("a login that is not finished gives the client an error, and not a code", async () => {
    const browser = new PageVisitor();
    const form = await openLogin(browser, authorizeUrl(app));
    const callback = await browser.get(`/api/auth/authorize/callback?id=${form.request}`);
    const { searchParams } = new URL(locationOf(callback));
    expect(searchParams.get("error")).toBe("interaction_required");
    expect(searchParams.get("iss")).toBe(ISSUER);
    expect(searchParams.has("code")).toBe(false);
  });

  test("a login goes on in no other browser", async () => {
    const browser = new PageVisitor();
    const form = await openLogin(browser, authorizeUrl(app));
    const other = new PageVisitor();
    await openLogin(other, authorizeUrl(app));
    const refused = await other.post("/api/auth/login", { ...form, ...ada });
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining("another browser"),
    ]);
    expect((await browser.post("/api/auth/login", { ...form, ...ada })).status).toBe(200);
    expect((await other.get(`/api/auth/authorize/callback?id=${form.request}`)).status).toBe(400);
  });

  test("a login gives no code to a redirect URI or a client that is gone in the meantime", async () => {
    const client = await freshApp();
    const browser = new PageVisitor();
    const form = await openLogin(browser, authorizeUrl(client));
    await browser.post("/api/auth/login", { ...form, ...ada });
    await api(`/api/auth/clients/${client.id}`, { method: "PUT", body: { public: true } });
    const answer = await browser.get(`/api/auth/authorize/callback?id=${form.request}`);
    expect([answer.status, answer.headers.get("location")]).toEqual([400, null]);
  });

  test("a login leaves no code, cookie or request id in the database", async () => {
    const browser = new PageVisitor();
    const form = await openLogin(browser, authorizeUrl(app));
    await browser.post("/api/auth/login", { ...form, ...ada });
    await openLogin(browser, authorizeUrl(app, { prompt: "login" }));
    const url = new URL(locationOf(await browser.get(authorizeUrl(app))));
    const secrets = [form.request, url.searchParams.get("code") ?? "", ...browser.cookies.values()];
    expect(secrets).toHaveLength(5);
    const dump = await dumpOf(env.DB);
    for (const secret of secrets) expect(dump).not.toContain(secret);
  });
});

describe("an authorization request without a valid client and redirect URI", () => {
  test.each([
    ["client_id", undefined, "auth request is missing client_id"],
    ["redirect_uri", undefined, "auth request is missing redirect_uri"],
    ["client_id", "nobody", "unable to retrieve client by id"],
    ["redirect_uri", "https://app.example.com/callback/", "not one of those"],
    ["redirect_uri", "https://app.example.com/callback?a=1", "not one of those"],
    ["redirect_uri", "https://app.example.com/callback#a", "not one of those"],
    ["redirect_uri", "https://APP.example.com/callback", "not one of those"],
    ["redirect_uri", "https://app.example.com:443/callback", "not one of those"],
    ["redirect_uri", "http://app.example.com/callback", "not one of those"],
    ["redirect_uri", "https://app.example.com/x/../callback", "not one of those"],
    ["redirect_uri", "https://app.example.com@evil.example/callback", "not one of those"],
    ["redirect_uri", "https://evil.example/callback", "not one of those"],
    ["redirect_uri", "//app.example.com/callback", "not one of those"],
  ])("a browser is sent nowhere if %s is %s", async (name, value, text) => {
    const response = await visitor.get(authorizeUrl(app, { [name]: value }));
    expect(response.status).toBe(400);
    expect(response.headers.get("content-type")).toMatch(/^text\/plain/);
    expect(response.headers.get("location")).toBeNull();
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(await response.text()).toContain(text);
  });

  test.each(["client_id", "redirect_uri"])(
    "a browser is sent nowhere if %s is given twice",
    async (name) => {
      const value = name === "client_id" ? app.id : app.redirectUri;
      const response = await visitor.get(
        `${authorizeUrl(app)}&${name}=${encodeURIComponent(value)}`,
      );
      expect([response.status, response.headers.get("location")]).toEqual([400, null]);
    },
  );

  test.each([
    "com.example.app:/callback",
    "javascript:alert(1)",
    "https://app.example.com/#/callback",
    "https://app.example.com/zażółć",
    "https://app.example.com/a\nb: c",
  ])("a browser is sent nowhere if the client has registered %s", async (redirectUri) => {
    const client = { ...(await freshApp({ redirectUris: [redirectUri] })), redirectUri };
    const response = await visitor.get(authorizeUrl(client));
    expect([response.status, response.headers.get("location")]).toEqual([400, null]);
  });
});

describe("a request that is wrong goes back to the client with an error, the state and the issuer", () => {
  test.each([
    [{ response_type: undefined }, "invalid_request"],
    [{ response_type: "token" }, "unauthorized_client"],
    [{ response_type: "code id_token" }, "unauthorized_client"],
    [{ scope: undefined }, "invalid_request"],
    [{ scope: "ledger:read" }, "invalid_scope"],
    [{ code_challenge: undefined, code_challenge_method: undefined }, "invalid_request"],
    [{ code_challenge: undefined }, "invalid_request"],
    [{ code_challenge_method: undefined }, "invalid_request"],
    [{ code_challenge_method: "plain" }, "invalid_request"],
    [{ code_challenge_method: "s256" }, "invalid_request"],
    [{ code_challenge: "short" }, "invalid_request"],
    [{ prompt: "none login" }, "invalid_request"],
    [{ prompt: "sometimes" }, "invalid_request"],
    [{ max_age: "-1" }, "invalid_request"],
    [{ max_age: "soon" }, "invalid_request"],
    [{ response_mode: "form_post" }, "invalid_request"],
    [{ nonce: "n".repeat(2049) }, "invalid_request"],
    [{ request: "eyJhbGciOiJub25lIn0.e30." }, "request_not_supported"],
    [{ request_uri: "https://app.example.com/request" }, "request_uri_not_supported"],
    [{ registration: "{}" }, "registration_not_supported"],
    [{ id_token_hint: "none" }, "login_required"],
  ])("a wrong request goes back to the client with an error: %o", async (params, error) => {
    const location = new URL(locationOf(await visitor.get(authorizeUrl(app, params))));
    expect(location.origin + location.pathname).toBe(app.redirectUri);
    expect(Object.fromEntries(location.searchParams)).toEqual({
      error,
      error_description: expect.any(String) as string,
      state: "the-state",
      iss: ISSUER,
    });
  });

  test("a request in which a parameter is given twice goes back to the client with an error", async () => {
    const url = `${authorizeUrl(app)}&nonce=another`;
    expect(await answerOf(url)).toMatchObject({ error: "invalid_request", state: "the-state" });
  });

  test("a confidential client may leave PKCE out, but not a half of it", async () => {
    const client = await freshApp({ public: false });
    const none = { code_challenge: undefined, code_challenge_method: undefined };
    expect((await answerOf(authorizeUrl(client, none)))["code"]).toMatch(CODE);
    const half = { code_challenge_method: undefined };
    expect((await answerOf(authorizeUrl(client, half)))["error"]).toBe("invalid_request");
  });

  test("the answer is in the fragment, where that is asked", async () => {
    const url = authorizeUrl(app, { response_mode: "fragment", scope: "ledger:read" });
    expect(locationOf(await visitor.get(url))).toContain("/callback#error=invalid_scope");
  });
});

describe("the person who has logged in", () => {
  test("the person who has logged in must be there for prompt=none", async () => {
    const url = authorizeUrl(app, { prompt: "none" });
    expect((await answerOf(url, new PageVisitor()))["error"]).toBe("login_required");
    expect((await answerOf(url))["code"]).toMatch(CODE);
  });

  test.each(["login", "select_account", "login consent"])(
    "the person who has logged in logs in again for prompt=%s",
    async (prompt) => {
      const location = locationOf(await visitor.get(authorizeUrl(app, { prompt })));
      expect(location).toContain("/api/auth/login?request=");
    },
  );

  test("the person who has logged in consents by being there, because operators register the clients", async () => {
    expect((await answerOf(authorizeUrl(app, { prompt: "consent" })))["code"]).toMatch(CODE);
  });

  test("the person who has logged in logs in again where the last time is too long ago", async () => {
    const login = `${ISSUER}/login?request=`;
    await env.DB.prepare("UPDATE auth_sessions SET authenticated_at = ? WHERE person_id = ?")
      .bind(new Date(Date.now() - 3_600_000).toISOString().replace("Z", "000Z"), ada.id)
      .run();
    expect((await answerOf(authorizeUrl(app, { max_age: "4000" })))["code"]).toMatch(CODE);
    const asked = locationOf(await visitor.get(authorizeUrl(app, { max_age: "3000" })));
    expect(asked.startsWith(login)).toBe(true);
    const none = authorizeUrl(app, { max_age: "0", prompt: "none" });
    expect((await answerOf(none))["error"]).toBe("login_required");
  });

  test("the person who has logged in is the one of the ID token that the client has, which may have expired", async () => {
    const hint = (claims: object) => idToken(claims).then((id_token_hint) => ({ id_token_hint }));
    const none = { prompt: "none" };
    const ask = async (claims: object) =>
      answerOf(authorizeUrl(app, { ...none, ...(await hint(claims)) }));
    expect((await ask({}))["code"]).toMatch(CODE);
    expect((await ask({ sub: "somebody else" }))["error"]).toBe("login_required");
    expect((await ask({ azp: "another-app" }))["error"]).toBe("login_required");
    expect((await ask({ iss: "https://evil.example" }))["error"]).toBe("login_required");
    expect((await ask({ scope: "openid" }))["error"]).toBe("login_required");
  });

  test("the person who has logged in must be the one of the ID token after a login, too", async () => {
    const id_token_hint = await idToken({ sub: "somebody else" });
    const url = await logIn(new PageVisitor(), authorizeUrl(app, { id_token_hint }), ada);
    expect(url.searchParams.get("error")).toBe("login_required");
  });

  test("the person who has logged in is nobody when the session has ended", async () => {
    const browser = new PageVisitor();
    await logIn(browser, authorizeUrl(app), ada);
    await env.DB.prepare(
      "UPDATE auth_sessions SET expires_at = '2026-01-01T00:00:00.000000Z'",
    ).run();
    const url = authorizeUrl(app, { prompt: "none" });
    expect((await answerOf(url, browser))["error"]).toBe("login_required");
    await logIn(visitor, authorizeUrl(app), ada);
  });

  test("the person who has logged in is nobody when the person was deleted", async () => {
    const bob = await freshPerson();
    const browser = new PageVisitor();
    await logIn(browser, authorizeUrl(app), bob);
    await api(`/api/florin/v1/users/${bob.id}`, { method: "DELETE" });
    const url = authorizeUrl(app, { prompt: "none" });
    expect((await answerOf(url, browser))["error"]).toBe("login_required");
  });
});

test("a client's page may send the request as a form", async () => {
  const [path = "", query = ""] = authorizeUrl(app).split("?");
  const fields = Object.fromEntries(new URLSearchParams(query));
  const sent = await visitor.post(path, fields, { origin: "https://app.example.com" });
  expect(sent.status).toBe(303);
  expect((await answerOf(locationOf(sent)))["code"]).toMatch(CODE);
});

test("parameters that mean nothing here are left alone", async () => {
  const others = {
    ui_locales: "de fr",
    claims_locales: "de",
    acr_values: "1",
    display: "popup",
    x: "y",
  };
  expect((await answerOf(authorizeUrl(app, others)))["code"]).toMatch(CODE);
});

test("parameters of a client are shown as text", async () => {
  const login_hint = `"><script>alert("${freshName()}")</script>`;
  const browser = new PageVisitor();
  const sent = await browser.get(authorizeUrl(app, { login_hint }));
  const page = await (await browser.get(locationOf(sent))).text();
  expect(page).toContain("&lt;script&gt;");
  expect(page).not.toContain("<script>");
});
