import { env } from "cloudflare:workers";
import { decodeJwt, decodeProtectedHeader, SignJWT } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import { asClient } from "#modules/auth/index.ts";
import { SigningKeys } from "#modules/auth/keys/signing-keys.ts";
import { hashSecret } from "#modules/auth/registry/client-secret.ts";
import { type Principal, systemContext } from "#platform/context.ts";
import type { ErrorBody } from "#platform/errors.ts";
import { makeClient } from "#test/support/auth/clients.ts";
import { api, BASE_URL, freshName, send } from "#test/support/platform/api.ts";
import { TEST_SETTINGS } from "#test/support/platform/settings.ts";

const ISSUER = `${BASE_URL}/api/auth`;
const ID = TEST_SETTINGS.FLORIN_CLIENT_ID;
const SECRET = TEST_SETTINGS.FLORIN_CLIENT_SECRET;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

interface Form {
  readonly grant_type?: string;
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly scope?: string;
}

interface OAuthAnswer {
  readonly error: string;
  readonly error_description?: string;
}

const CREDENTIALS = { client_id: ID, client_secret: SECRET };
const GRANT = { grant_type: "client_credentials" };

const ask = (form: Form | string, headers: Record<string, string> = {}) =>
  send("/api/auth/oauth/token", {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body: typeof form === "string" ? form : new URLSearchParams({ ...form }).toString(),
  });

const basic = (id: string, secret: string) => ({
  authorization: `Basic ${btoa(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`)}`,
});

async function scopesOf(response: Response): Promise<unknown> {
  const { access_token: accessToken } = await response.json<{ access_token: string }>();
  return decodeJwt(accessToken)["scope"];
}

describe("the token endpoint", () => {
  test("the token endpoint answers the reference's JSON and forbids caches to store it", async () => {
    const response = await ask({ ...GRANT, ...CREDENTIALS, scope: "ledger:read ledger:write" });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(await response.text()).toMatch(
      /^\{"access_token":"[\w-]+\.[\w-]+\.[\w-]+","token_type":"Bearer","expires_in":3600\}$/,
    );
  });

  test("the token endpoint issues a token with the reference's claims, in their order", async () => {
    const response = await ask({ ...GRANT, ...CREDENTIALS, scope: "ledger:read openid" });
    const { access_token: text } = await response.json<{ access_token: string }>();
    const claims = decodeJwt(text);
    expect(Object.keys(claims).join(" ")).toBe("aud client_id exp iat iss jti nbf scope");
    const { exp = 0, iat = 0, nbf } = claims;
    expect(claims).toMatchObject({ aud: [ID, BASE_URL], iss: ISSUER, scope: "ledger:read openid" });
    expect(claims.jti).toMatch(UUID);
    expect([exp - iat, nbf]).toEqual([3600, iat]);
    const header = decodeProtectedHeader(text);
    expect(Object.keys(header)).toEqual(["alg", "kid", "typ"]);
    expect(header).toMatchObject({ alg: "RS256", typ: "JWT" });
  });

  test("the token endpoint takes the secret from the body or from Basic credentials, which win", async () => {
    expect((await ask({ ...GRANT, ...CREDENTIALS })).status).toBe(200);
    expect((await ask(GRANT, basic(ID, SECRET))).status).toBe(200);
    const wrong = { client_id: "other", client_secret: "wrong" };
    expect((await ask({ ...GRANT, ...wrong }, basic(ID, SECRET))).status).toBe(200);
    expect((await ask({ ...GRANT, ...CREDENTIALS }, basic(ID, "wrong"))).status).toBe(401);
  });

  test("the token endpoint decodes percent and plus in Basic credentials", async () => {
    const id = `${freshName()}+a:b%`;
    const { secret } = await makeClient({ id });
    expect((await ask(GRANT, basic(id, secret))).status).toBe(200);
    const plain = { authorization: `Basic ${btoa(`${id}:${secret}`)}` };
    expect((await ask(GRANT, plain)).status).toBe(401);
  });

  test("the token endpoint grants the requested scopes that the client has, in the order of the request", async () => {
    const { id, secret } = await makeClient({ scopes: ["scope1", "b:read", "a:read", "email"] });
    const form = { ...GRANT, client_id: id, client_secret: secret };
    expect(await scopesOf(await ask({ ...form, scope: "scope1 scope2" }))).toBe("scope1");
    expect(await scopesOf(await ask({ ...form, scope: "a:read b:read a:read" }))).toBe(
      "a:read b:read a:read",
    );
    expect(await scopesOf(await ask({ ...form, scope: "SCOPE1 email profile" }))).toBe("");
    const reduced = await ask({ ...form, scope: "scope1 scope2" });
    expect(await reduced.json()).toMatchObject({ scope: "scope1" });
  });

  test("the token endpoint grants all scopes of the client if none is requested, and says which", async () => {
    const { id, secret } = await makeClient({ scopes: ["auth:read", "ledger:read", "email"] });
    for (const scope of [{}, { scope: "" }]) {
      const response = await ask({ ...GRANT, client_id: id, client_secret: secret, ...scope });
      const answer = await response.json<{ access_token: string; scope: string }>();
      expect(answer.scope).toBe("auth:read ledger:read");
      expect(decodeJwt(answer.access_token)["scope"]).toBe("auth:read ledger:read");
      expect((await api("/api/auth/clients", { token: answer.access_token })).status).toBe(200);
    }
  });

  test("the token endpoint grants nothing if only scopes are requested that the client has not", async () => {
    const { id, secret } = await makeClient({ scopes: ["ledger:read"] });
    const form = { ...GRANT, client_id: id, client_secret: secret, scope: "auth:read" };
    const { access_token: text } = await (await ask(form)).json<{ access_token: string }>();
    expect(decodeJwt(text)["scope"]).toBe("");
    expect((await api("/api/auth/clients", { token: text })).status).toBe(401);
  });

  test("the token endpoint takes a secret by Basic credentials that are not form-encoded", async () => {
    const secret = "pa+ss%2word%41 sixteen";
    const stored = hashSecret(secret);
    const { id } = await makeClient({ scopes: ["ledger:read"] });
    await env.DB.prepare("UPDATE auth_client_secrets SET hash = ? WHERE client_id = ?")
      .bind(stored, id)
      .run();
    const plain = { authorization: `Basic ${btoa(`${id}:${secret}`)}` };
    expect((await ask(GRANT, plain)).status).toBe(200);
    expect((await ask(GRANT, basic(id, secret))).status).toBe(200);
    const other = { authorization: `Basic ${btoa(`${id}:${secret}x`)}` };
    expect((await ask(GRANT, other)).status).toBe(401);
  });

  test("a confidential client is known by a second id, too, and no public one", async () => {
    const { id, secret } = await makeClient({ scopes: ["ledger:read"] });
    const alias = `organization_${id}`;
    const response = await ask({ ...GRANT, client_id: alias, client_secret: secret });
    expect(response.status).toBe(200);
    const { access_token: text } = await response.json<{ access_token: string }>();
    expect(decodeJwt(text)["client_id"]).toBe(id);
    expect((await ask(GRANT, basic(`organization_${ID}`, SECRET))).status).toBe(200);
    expect((await ask(GRANT, basic(alias, `${secret}x`))).status).toBe(401);
    const taken = await api("/api/auth/clients", { body: { id: alias } });
    expect(taken.status).toBe(409);
    // A client that has the second id already would take the requests of a new one.
    const squatted = freshName("shop");
    await makeClient({ id: `organization_${squatted}` });
    const beside = await api("/api/auth/clients", { body: { id: squatted } });
    expect([beside.status, await beside.text()]).toEqual([
      409,
      expect.stringContaining(`organization_${squatted}`) as unknown,
    ]);
    const open = await makeClient({ public: true });
    const refused = await ask(GRANT, basic(`organization_${open.id}`, open.secret));
    expect(refused.status).toBe(401);
    expect(await refused.json()).toEqual({ error: "invalid_client" });
  });

  test("the token endpoint gives the client of the settings every scope", async () => {
    const discovery = await send("/api/auth/.well-known/openid-configuration");
    const { scopes_supported: all } = await discovery.json<{ scopes_supported: string[] }>();
    expect(all).toContain("webhooks:write");
    // A client that acts for itself gets no scopes about people, such as `profile`.
    const own = all.filter((scope) => scope === "openid" || scope.includes(":"));
    const response = await ask({ ...GRANT, ...CREDENTIALS, scope: all.join(" ") });
    expect(await scopesOf(response)).toBe(own.join(" "));
  });

  const missing = { error: "invalid_request", error_description: "grant_type missing" };
  const unknown = { error: "invalid_client" };
  const refused: readonly [what: string, form: Form | string, body: OAuthAnswer][] = [
    ["no grant type", CREDENTIALS, missing],
    ["an empty body", "", missing],
    [
      "another grant type",
      { ...CREDENTIALS, grant_type: "password" },
      { error: "unsupported_grant_type", error_description: "password not supported" },
    ],
    [
      "a grant type with characters that a description must not have",
      { ...CREDENTIALS, grant_type: 'a"\\é' },
      { error: "unsupported_grant_type", error_description: "a'?? not supported" },
    ],
    ["no credentials", GRANT, unknown],
    ["no secret", { ...GRANT, client_id: ID }, unknown],
    ["an empty secret", { ...GRANT, client_id: ID, client_secret: "" }, unknown],
    ["a wrong secret", { ...GRANT, client_id: ID, client_secret: `${SECRET}x` }, unknown],
    ["an unknown client", { ...GRANT, client_id: "nobody", client_secret: "x" }, unknown],
    [
      "a broken percent encoding",
      "grant_type=%zz",
      {
        error: "invalid_request",
        error_description: "the body is not a valid form: its percent encoding is broken",
      },
    ],
    [
      "a parameter given twice",
      "grant_type=client_credentials&grant_type=password",
      { error: "invalid_request", error_description: "body 'grant_type': given more than once" },
    ],
    [
      "a body that is too large",
      `scope=${"x".repeat(16 * 1024)}`,
      { error: "invalid_request", error_description: "the body is larger than 16384 bytes" },
    ],
  ];

  test.each(refused)(
    "the token endpoint refuses %s with an OAuth error",
    async (_what, form, body) => {
      const response = await ask(form);
      expect(response.status).toBe(body.error === "invalid_client" ? 401 : 400);
      expect(await response.json()).toEqual(body);
      expect(response.headers.get("cache-control")).toBe("no-store");
      expect(response.headers.get("content-type")).toBe("application/json");
    },
  );

  test("the token endpoint refuses malformed Basic credentials and asks for them", async () => {
    const headers = [
      "Basic",
      "Basic !",
      `Basic ${btoa("no-colon")}`,
      `Basic ${btoa("%zz:a")}`,
      "Basic /w==",
    ];
    for (const authorization of headers) {
      const response = await ask({ ...GRANT, ...CREDENTIALS }, { authorization });
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toBe('Basic realm="florin"');
    }
  });

  test("the token endpoint gives a public client no token", async () => {
    const { id, secret } = await makeClient({ public: true });
    const response = await ask({ ...GRANT, client_id: id, client_secret: secret });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ error: "unauthorized_client" });
    expect((await ask({ ...GRANT, client_id: id })).status).toBe(401);
  });
});

describe("a token", () => {
  const now = Math.floor(Date.now() / 1000);
  const meant = { client_id: "made", aud: ["made", BASE_URL] };
  const claims = { iss: ISSUER, ...meant, exp: now + 60, scope: "auth:read" };
  let kid: string;
  let privateKey: CryptoKey;

  beforeAll(async () => {
    ({ kid, privateKey } = await SigningKeys.from(env).current());
  });

  const sign = (changes: object, header: object = {}) =>
    new SignJWT({ ...claims, ...changes })
      .setProtectedHeader({ alg: "RS256", kid, ...header })
      .sign(privateKey);
  const list = (bearer: string) => api("/api/auth/clients", { token: bearer });
  const encode = (part: object) => btoa(JSON.stringify(part)).replaceAll("=", "");

  /** The reason for which a token is refused. The rest of the answer is checked here. */
  async function refusalOf(bearer: string): Promise<string> {
    const response = await list(bearer);
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe(
      'Bearer realm="florin", error="invalid_token"',
    );
    const { errorCode, errorMessage } = await response.json<ErrorBody>();
    expect(errorCode).toBe("VALIDATION");
    return errorMessage;
  }

  test("a token that our key has signed is good with the scope, whatever its subject", async () => {
    expect((await list(await sign({}))).status).toBe(200);
    expect((await list(await sign({ sub: "someone", azp: "x" }))).status).toBe(200);
    expect(await refusalOf(await sign({ aud: "elsewhere" }))).toMatch(/another audience/);
    expect((await list(await sign({ scope: "auth:write" }))).status).toBe(200);
  });

  test("a token is refused when it has expired or is not valid yet", async () => {
    expect(await refusalOf(await sign({ exp: now }))).toMatch(/has expired/);
    expect(await refusalOf(await sign({ nbf: now + 60 }))).toMatch(/not valid yet/);
  });

  test("a token is refused without the claims that name its issuer and its expiry", async () => {
    expect(await refusalOf(await sign({ exp: undefined }))).toMatch(/claim exp/);
    expect(await refusalOf(await sign({ iss: undefined }))).toMatch(/claim iss/);
    expect(await refusalOf(await sign({ scope: ["auth:read"] }))).toMatch(/claim scope/);
  });

  test("a token of another issuer is refused, even if our key has signed it", async () => {
    expect(await refusalOf(await sign({ iss: "https://evil.example/api/auth" }))).toMatch(/issuer/);
    expect(await refusalOf(await sign({ iss: `${ISSUER}/` }))).toMatch(/issuer/);
    expect(await refusalOf(await sign({ iss: "http://localhost:1/api/auth" }))).toMatch(/issuer/);
  });

  test("a token that another key has signed is refused, even under the id of our key", async () => {
    const pair = await crypto.subtle.generateKey(
      {
        name: "RSASSA-PKCS1-v1_5",
        hash: "SHA-256",
        modulusLength: 2048,
        publicExponent: new Uint8Array([1, 0, 1]),
      },
      true,
      ["sign", "verify"],
    );
    if (!("privateKey" in pair)) throw new Error("expected a pair of keys");
    const forged = (id: string) =>
      new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: id }).sign(pair.privateKey);
    expect(await refusalOf(await forged(kid))).toMatch(/signature/);
    expect(await refusalOf(await forged("unknown"))).toMatch(/unknown key/);
  });

  test("a token without a signature is refused", async () => {
    for (const alg of ["none", "None", "RS256"]) {
      const unsigned = `${encode({ alg, kid, typ: "JWT" })}.${encode(claims)}.`;
      expect(await refusalOf(unsigned)).toMatch(alg === "RS256" ? /signature/ : /RS256/);
    }
  });

  test("a token signed with our public key as an HMAC secret is refused", async () => {
    const keys = await (await send("/api/auth/keys")).text();
    for (const secret of [
      keys,
      JSON.stringify((JSON.parse(keys) as { keys: unknown[] }).keys[0]),
    ]) {
      const confused = await new SignJWT(claims)
        .setProtectedHeader({ alg: "HS256", kid })
        .sign(new TextEncoder().encode(secret));
      expect(await refusalOf(confused)).toMatch(/RS256/);
    }
  });

  test("a token that was changed after it was signed is refused", async () => {
    const good = await sign({ scope: "ledger:read" });
    const [header = "", , signature = ""] = good.split(".");
    expect(await refusalOf(`${header}.${encode(claims)}.${signature}`)).toMatch(/signature/);
  });

  test("a token has to be sent as a bearer token", async () => {
    const good = await sign({});
    const headers = ["", "Bearer", "Bearer ", `Basic ${good}`, `Bearer ${good} x`, `Bearer${good}`];
    for (const authorization of headers) {
      const response = await send("/api/auth/clients", { headers: { authorization } });
      expect(response.status).toBe(401);
    }
    for (const scheme of ["bearer", "BEARER", "Bearer  "]) {
      const headers = { authorization: `${scheme} ${good}` };
      expect((await send("/api/auth/clients", { headers })).status).toBe(200);
    }
    expect(await refusalOf("x")).toMatch(/not a JSON Web Token/);
    expect(await refusalOf("a.b.c")).toMatch(/not a JSON Web Token/);
    expect(await refusalOf("x".repeat(20_000))).toMatch(/too long/);
  });
});

describe("work after a request in the name of its client", () => {
  const ALL = ["a:read", "b:write"];
  const FOREIGN = "https://issuer.example";
  const later = async (principal: Partial<Principal>, settings: object = {}) => {
    const context = systemContext({ ...env, ...settings }, "test");
    const { clientId = "" } = principal;
    const scopes = new Set(["a:read"]);
    const asked = { ...context.principal, scopes, subject: clientId, ...principal };
    return [...(await asClient({ ...context, principal: asked }, ALL)).principal.scopes];
  };

  test("work after a request may do what its client may, and not only what the token was for", async () => {
    const { id } = await makeClient({ scopes: ["c:read", "a:read"] });
    expect(await later({ clientId: id })).toEqual(["c:read", "a:read"]);
    expect(await later({ clientId: ID })).toEqual(ALL);
    // The tokens of a deleted client allow no later work.
    await expect(later({ clientId: freshName() })).rejects.toThrow(
      "the client of the token is gone",
    );
  });

  test("work after a request may do what the token allows where the client acts for a person", async () => {
    const { id } = await makeClient({ scopes: ["c:read", "a:read"] });
    expect(await later({ clientId: id, subject: "ann" })).toEqual(["a:read"]);
  });

  test("work after a request may do what the token allows where another server has issued it, or nobody needs one", async () => {
    const settings = { FLORIN_TRUSTED_ISSUERS: FOREIGN };
    expect(await later({ clientId: ID, issuer: FOREIGN }, settings)).toEqual(["a:read"]);
    // A token that the assertion of a trusted issuer has got without a client.
    expect(await later({ clientId: FOREIGN }, settings)).toEqual(["a:read"]);
    expect(await later({ clientId: ID }, { FLORIN_AUTH: "off", FLORIN_LOCAL: "true" })).toEqual([
      "a:read",
    ]);
  });
});
