import { env } from "cloudflare:workers";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { findPerson } from "#modules/auth/people/find-person.ts";
import { dumpOf } from "#test/support/auth/dump.ts";
import { FakeProvider } from "#test/support/auth/fake-provider.ts";
import { beginDevice } from "#test/support/auth/fctl.ts";
import {
  authorizeUrl,
  freshApp,
  ISSUER,
  locationOf,
  nextOf,
  type TestApp,
} from "#test/support/auth/logins.ts";
import { PageVisitor } from "#test/support/auth/pages.ts";
import { api, freshName, token } from "#test/support/platform/api.ts";
import { isolate, type Send } from "#test/support/runner/isolate.ts";

let provider: FakeProvider;
let app: TestApp;
let settings: Record<string, string>;
let local: Send;

beforeAll(async () => {
  app = await freshApp();
  provider = await FakeProvider.start();
  settings = {
    FLORIN_LOGIN_ISSUER: provider.issuer,
    FLORIN_LOGIN_CLIENT_ID: provider.clientId,
    FLORIN_LOGIN_CLIENT_SECRET: provider.clientSecret,
    FLORIN_LOGIN_SCOPES: "ledger:read, wallets:read",
  };
});
beforeEach(() => {
  provider.answers = {};
  local = isolate(settings);
});
// Other test files share the global `fetch`.
afterAll(() => vi.restoreAllMocks());

/** Begins a login. Returns the URL at the provider to which the browser is sent. */
const begin = async (visitor: PageVisitor, params = {}): Promise<string> =>
  locationOf(await visitor.get(authorizeUrl(app, params)));

/** Logs in at the provider. Returns the answer of the callback. */
async function comeBack(visitor: PageVisitor, answer = {}): Promise<Response> {
  return visitor.get(provider.leave(await begin(visitor), answer));
}

/** The parameters with which a finished login comes back to the client. */
async function finish(visitor: PageVisitor): Promise<Record<string, string>> {
  const next = locationOf(await comeBack(visitor));
  return Object.fromEntries(new URL(locationOf(await visitor.get(next))).searchParams);
}

async function people(): Promise<
  { id: string; subject: string; email: string; scopes: string[] }[]
> {
  const response = await api("/api/florin/v1/users", { token: await token("auth:read") });
  return (await response.json<{ data: Awaited<ReturnType<typeof people>> }>()).data;
}

describe("a login at another provider", () => {
  test("a login at another provider asks it with a state, a nonce and a challenge, and goes on with its answer", async () => {
    const visitor = new PageVisitor(local);
    const asked = new URL(
      await begin(visitor, { prompt: "login", max_age: "60", login_hint: "ada" }),
    );
    expect(asked.origin + asked.pathname).toBe(`${provider.issuer}/authorize`);
    expect(Object.fromEntries(asked.searchParams)).toEqual({
      tenant: "1",
      response_type: "code",
      client_id: provider.clientId,
      redirect_uri: `${ISSUER}/authorize/callback`,
      scope: "openid email profile",
      state: expect.stringMatching(/^[\w-]{43}$/) as string,
      nonce: expect.stringMatching(/^[\w-]{43}$/) as string,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/) as string,
      code_challenge_method: "S256",
      prompt: "login",
      max_age: "60",
      login_hint: "ada",
    });
    expect(await finish(visitor)).toEqual({
      code: expect.stringMatching(/^[\w-]{43}$/) as string,
      state: "the-state",
      iss: ISSUER,
    });
    const basic = [provider.clientId, provider.clientSecret].map(encodeURIComponent).join(":");
    expect(provider.redeemed.at(-1)?.authorization).toBe(`Basic ${btoa(basic)}`);
    expect(provider.redeemed.at(-1)?.form.has("client_secret")).toBe(false);
  });

  test("a login at another provider makes a person at the first time, with the scopes of the settings, and none later", async () => {
    const subject = freshName("subject");
    provider.answers = { claims: { sub: subject } };
    await Promise.all([finish(new PageVisitor(local)), finish(new PageVisitor(local))]);
    const [person, ...others] = (await people()).filter((item) => item.subject === subject);
    expect(others).toEqual([]);
    expect(person).toMatchObject({
      email: "ada@example.com",
      scopes: ["ledger:read", "wallets:read"],
    });
    const id = person?.id ?? "";
    await api(`/api/florin/v1/users/${id}`, { method: "PUT", body: { scopes: ["ledger:write"] } });
    provider.answers = {
      claims: { sub: subject, email: "new@example.com", email_verified: "false" },
    };
    await finish(new PageVisitor(local));
    expect(await findPerson({ env }, id)).toMatchObject({
      id,
      issuer: provider.issuer,
      subject,
      email: "new@example.com",
      emailVerified: false,
      name: "Ada",
      scopes: ["ledger:write"],
    });
  });

  test("a login at another provider is not asked for again in the same browser", async () => {
    const visitor = new PageVisitor(local);
    await finish(visitor);
    expect(await begin(visitor)).toContain(`${app.redirectUri}?code=`);
  });

  test("a login at another provider asks the provider for the e-mail address that is not in the ID token", async () => {
    const sub = freshName("subject");
    provider.answers = {
      claims: { sub, email: null },
      userinfo: { sub, email: "asked@example.com", email_verified: true },
    };
    await finish(new PageVisitor(local));
    expect((await people()).at(-1)).toMatchObject({ subject: sub, email: "asked@example.com" });
    provider.answers = { claims: { email: null }, userinfo: { sub: "another", email: "e@x" } };
    expect((await comeBack(new PageVisitor(local))).status).toBe(502);
  });

  test("a login at another provider shows what the provider refuses, as text", async () => {
    const error = { error: "access_denied", error_description: "<script>no</script>" };
    const page = await comeBack(new PageVisitor(local), error);
    const text = await page.text();
    expect(page.status).toBe(200);
    expect(text).toContain("access_denied : &lt;script&gt;no");
    expect(text).not.toContain("<script");
  });

  test.each([
    ["another nonce", { claims: { nonce: "another" } }],
    ["no nonce", { claims: { nonce: null } }],
    ["another audience", { claims: { aud: "another-client" } }],
    ["several audiences and no azp", { claims: { aud: ["florin-at-provider", "another"] } }],
    ["another authorized party", { claims: { azp: "another-client" } }],
    ["another issuer", { claims: { iss: "https://evil.example" } }],
    ["an ID token that has expired", { claims: { exp: 1 } }],
    ["an ID token that never expires", { claims: { exp: null } }],
    ["nobody", { claims: { sub: null } }],
    ["a signature of another key", { isForged: true }],
    ["an error of the token endpoint", { tokenStatus: 500 }],
  ])("a login at another provider is refused with %s", async (_, answers) => {
    provider.answers = answers;
    const visitor = new PageVisitor(local);
    const answer = await comeBack(visitor);
    expect([answer.status, answer.headers.get("location")]).toEqual([502, null]);
    expect(visitor.cookies.has("florin-session")).toBe(false);
  });

  test("a login at another provider is refused where the answer is another provider's", async () => {
    const answer = await comeBack(new PageVisitor(local), { iss: "https://evil.example" });
    expect(answer.status).toBe(502);
    const own = await comeBack(new PageVisitor(local), { iss: provider.issuer });
    expect(own.status).toBe(302);
  });

  test("a login at another provider ends in the browser in which it was begun, once", async () => {
    const visitor = new PageVisitor(local);
    const back = provider.leave(await begin(visitor));
    const other = new PageVisitor(local);
    await begin(other);
    expect((await other.get(back)).status).toBe(400);
    expect((await visitor.get(back.replace(/state=[\w-]+/, "state=x"))).status).toBe(400);
    expect((await visitor.get(back)).status).toBe(302);
    expect((await visitor.get(back)).status).toBe(400);
  });

  test("a login at another provider waits while the provider cannot be reached or is another one", async () => {
    provider.answers = { discovery: { issuer: "https://evil.example" } };
    const visitor = new PageVisitor(local);
    expect((await visitor.get(authorizeUrl(app))).status).toBe(502);
    provider.answers = {};
    expect(await begin(visitor)).toContain(provider.issuer);
  });

  test("a login at another provider leaves no secret of the login in the database", async () => {
    const visitor = new PageVisitor(local);
    const asked = new URL(await begin(visitor)).searchParams;
    await visitor.get(provider.leave(await begin(visitor)));
    const redeemed = provider.redeemed.at(-1)?.form;
    const secrets = [
      asked.get("state"),
      asked.get("nonce"),
      redeemed?.get("code_verifier"),
      redeemed?.get("code"),
      ...visitor.cookies.values(),
    ];
    expect(secrets).toHaveLength(6);
    const dump = await dumpOf(env.DB);
    for (const secret of secrets) expect(dump).not.toContain(secret ?? "missing");
  });
});

test("a deployment with logins at another provider has no login page and no invitations", async () => {
  const visitor = new PageVisitor(local);
  expect((await visitor.get("/api/auth/login?request=1")).status).toBe(404);
  expect((await visitor.post("/api/auth/login", { request: "1" })).status).toBe(404);
  const refused = await local("/api/florin/v1/invitations", {
    method: "POST",
    headers: { authorization: `Bearer ${await token("auth:write")}` },
    body: '{"scopes":[]}',
  });
  expect([refused.status, await refused.text()]).toEqual([
    400,
    expect.stringContaining("people log in at https://login.example.com"),
  ]);
});

test("a provider without a client id is refused", async () => {
  const half = isolate({ FLORIN_LOGIN_ISSUER: provider.issuer });
  expect((await half("/versions")).status).toBe(500);
});

describe("a device login at another provider", () => {
  test("a device login at another provider begins, and begins again for somebody else, without a redirect after a form", async () => {
    const visitor = new PageVisitor(local);
    const device = await beginDevice({ scope: "openid", prompt: "no-org" });
    const path = `/api/auth/device?user_code=${device.user_code}`;
    const back = locationOf(await visitor.get(provider.leave(locationOf(await visitor.get(path)))));
    const shown = await visitor.get(locationOf(await visitor.get(back)));
    expect(await shown.text()).toContain(device.user_code);
    // The provider is not in `form-action`, so a redirect would be blocked.
    expect(shown.headers.get("content-security-policy")).toContain("form-action 'self'");
    const form = { user_code: device.user_code, answer: "switch" };
    const answer = await visitor.post("/api/auth/device", form);
    expect([answer.status, answer.headers.get("location")]).toEqual([200, null]);
    const other = new URL(await nextOf(answer));
    expect(other.origin + other.pathname).toBe(`${provider.issuer}/authorize`);
    expect(other.searchParams.get("prompt")).toBe("select_account");
    // The session has ended meanwhile.
    visitor.cookies.delete("florin-session");
    const late = await visitor.post("/api/auth/device", { ...form, answer: "allow" });
    expect(await nextOf(late)).toContain(`${provider.issuer}/authorize`);
  });
});
