import { env } from "cloudflare:workers";
import { SignJWT } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import { SigningKeys } from "#modules/auth/keys/signing-keys.ts";
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
} from "#test/support/auth/logins.ts";
import { hiddenField, PageVisitor } from "#test/support/auth/pages.ts";
import { BASE_URL, freshName, send } from "#test/support/platform/api.ts";

const LOGIN = "/api/auth/login";
const LOGOUT = "/api/auth/end_session";
const BYE = "https://app.example.com/bye";

let app: TestApp;
let ada: TestPerson;

beforeAll(async () => {
  app = await freshApp({ postLogoutRedirectUris: [BYE] });
  ada = await freshPerson();
});

describe("the login page", () => {
  test("the login page says the same of a wrong password and of an unknown person", async () => {
    const visitor = new PageVisitor();
    const form = await openLogin(visitor, authorizeUrl(app));
    const answers = [];
    for (const [email, password] of [
      [ada.email, "wrong horse battery"],
      ["nobody@example.com", ada.password],
      ["x".repeat(300), ada.password],
    ] as const) {
      const answer = await visitor.post(LOGIN, { ...form, email, password });
      expect(answer.status).toBe(401);
      answers.push((await answer.text()).replaceAll(email, ""));
    }
    expect(new Set(answers).size).toBe(1);
    expect(visitor.cookies.has("florin-session")).toBe(false);
    expect((await visitor.post(LOGIN, { ...form, ...ada })).status).toBe(200);
  });

  test("the login page takes the e-mail address in any case", async () => {
    const visitor = new PageVisitor();
    const url = authorizeUrl(app);
    const answer = await logIn(visitor, url, { ...ada, email: ` ${ada.email.toUpperCase()}` });
    expect(answer.searchParams.has("code")).toBe(true);
  });

  test("the login page stays out of frames, scripts and caches, and its cookies out of scripts and other sites", async () => {
    const visitor = new PageVisitor();
    const sent = await visitor.get(authorizeUrl(app));
    expect(sent.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^florin-browser=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
    const { headers } = await visitor.get(locationOf(sent));
    expect(headers.get("content-security-policy")).toMatch(
      /default-src 'none'.*frame-ancestors 'none'/,
    );
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("access-control-allow-credentials")).toBeNull();
  });

  test.each([
    [{ origin: "https://evil.example" }],
    [{ origin: "null" }],
    [{ origin: `${BASE_URL}.evil.example` }],
    [{ "sec-fetch-site": "cross-site" }],
    [{ "sec-fetch-site": "same-site" }],
  ])("the login page takes no form of another site: %o", async (headers) => {
    const visitor = new PageVisitor();
    const form = await openLogin(visitor, authorizeUrl(app));
    expect((await visitor.post(LOGIN, { ...form, ...ada }, headers)).status).toBe(403);
    expect(visitor.cookies.has("florin-session")).toBe(false);
  });

  test("the login page logs nobody in with a form that somebody else has begun", async () => {
    const mallory = await openLogin(new PageVisitor(), authorizeUrl(app));
    const victim = new PageVisitor();
    expect((await victim.post(LOGIN, { ...mallory, ...ada })).status).toBe(400);
    await openLogin(victim, authorizeUrl(app));
    expect((await victim.post(LOGIN, { ...mallory, ...ada })).status).toBe(400);
    expect(victim.cookies.has("florin-session")).toBe(false);
  });

  test("the login page gives every login a session of its own, and ends the one before", async () => {
    const visitor = new PageVisitor();
    visitor.cookies.set("florin-session", "chosen-by-somebody-else");
    await logIn(visitor, authorizeUrl(app), ada);
    const first = visitor.cookies.get("florin-session") ?? "";
    expect(first).not.toBe("chosen-by-somebody-else");
    await logIn(visitor, authorizeUrl(app, { prompt: "login" }), ada);
    expect(visitor.cookies.get("florin-session")).not.toBe(first);
    const old = new PageVisitor();
    old.cookies.set("florin-session", first);
    const none = await old.get(authorizeUrl(app, { prompt: "none" }));
    expect(locationOf(none)).toContain("error=login_required");
  });

  test("the login page leads on with a page, and goes to no URL that a form names", async () => {
    const visitor = new PageVisitor();
    const form = await openLogin(visitor, authorizeUrl(app));
    const evil = { next: "https://evil.example", redirect_uri: "https://evil.example" };
    const page = await (await visitor.post(LOGIN, { ...form, ...ada, ...evil })).text();
    expect(page).toContain(`content="0; url=${ISSUER}/authorize/callback?id=${form.request}"`);
    expect(page).not.toContain("evil");
  });

  test("the login page stops after ten wrong passwords in a minute, for that person alone, whatever is asked at once", async () => {
    const eve = await freshPerson();
    const visitor = new PageVisitor();
    const form = await openLogin(visitor, authorizeUrl(app));
    const attempt = (password: string) =>
      visitor.post(LOGIN, { ...form, email: eve.email, password });
    const answers = await Promise.all(
      Array.from({ length: 13 }, (_, index) => attempt(`wrong horse ${index}`)),
    );
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429, 429]);
    const right = await attempt(eve.password);
    expect(right.status).toBe(429);
    expect(Number(right.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await visitor.post(LOGIN, { ...form, ...ada })).status).toBe(200);
  });

  test("the login page refuses a form that is too large, and a login that was never begun", async () => {
    const visitor = new PageVisitor();
    expect((await visitor.post(LOGIN, { email: "x".repeat(70_000) })).status).toBe(413);
    expect((await visitor.get(`${LOGIN}?request=unknown`)).status).toBe(400);
    expect((await send(LOGIN)).status).toBe(400);
  });
});

describe("end_session", () => {
  const idToken = async (claims: object = {}): Promise<string> => {
    const { kid, privateKey } = await SigningKeys.from(env).current();
    return new SignJWT({ iss: ISSUER, sub: ada.id, aud: [app.id], azp: app.id, exp: 1, ...claims })
      .setProtectedHeader({ alg: "RS256", kid })
      .sign(privateKey);
  };
  const urlOf = (params: Record<string, string>) =>
    `${LOGOUT}?${new URLSearchParams(params).toString()}`;
  const isLoggedIn = async (visitor: PageVisitor) =>
    locationOf(await visitor.get(authorizeUrl(app, { prompt: "none" }))).includes("code=");
  const loggedIn = async (): Promise<PageVisitor> => {
    const visitor = new PageVisitor();
    await logIn(visitor, authorizeUrl(app), ada);
    return visitor;
  };

  test("end_session ends the session of the person that the ID token names, and goes where the client has said", async () => {
    const visitor = await loggedIn();
    const params = { id_token_hint: await idToken(), post_logout_redirect_uri: BYE, state: "s&1" };
    const answer = await visitor.get(urlOf(params));
    expect([answer.status, locationOf(answer)]).toEqual([302, `${BYE}?state=s%261`]);
    expect(visitor.cookies.has("florin-session")).toBe(false);
    expect(await isLoggedIn(visitor)).toBe(false);
  });

  test("end_session asks the person first without an ID token of the person", async () => {
    for (const params of [
      { client_id: app.id, post_logout_redirect_uri: BYE, state: "s" },
      {
        id_token_hint: await idToken({ sub: "another" }),
        post_logout_redirect_uri: BYE,
        state: "s",
      },
    ]) {
      const visitor = await loggedIn();
      const page = await visitor.get(urlOf(params));
      const text = await page.text();
      expect([page.status, text]).toEqual([200, expect.stringContaining(ada.email)]);
      expect(await isLoggedIn(visitor)).toBe(true);
      const fields = Object.fromEntries(
        Object.keys(params).map((name) => [name, hiddenField(text, name)]),
      );
      const confirm = `${LOGOUT}/confirm`;
      const evil = { origin: "https://evil.example" };
      expect((await visitor.post(confirm, fields, evil)).status).toBe(403);
      expect(await isLoggedIn(visitor)).toBe(true);
      const answer = await visitor.post(confirm, fields);
      expect([answer.status, locationOf(answer)]).toEqual([303, `${BYE}?state=s`]);
      expect(await isLoggedIn(visitor)).toBe(false);
    }
  });

  test("end_session takes a form, too, and without a target shows a page of ours", async () => {
    const visitor = await loggedIn();
    const evil = { origin: "https://app.example.com" };
    const sent = await visitor.post(LOGOUT, { id_token_hint: await idToken() }, evil);
    expect(sent.status).toBe(303);
    const target = locationOf(await visitor.get(locationOf(sent)));
    expect(target).toBe(`${ISSUER}/logged-out`);
    expect((await visitor.get(target)).status).toBe(200);
    expect(await isLoggedIn(visitor)).toBe(false);
  });

  test("end_session ignores a target without a client", async () => {
    const answer = await new PageVisitor().get(
      urlOf({ post_logout_redirect_uri: "https://evil.example" }),
    );
    expect(locationOf(answer)).toBe(`${ISSUER}/logged-out`);
  });

  test.each([
    ["another path", `${BYE}/`],
    ["a query", `${BYE}?a=1`],
    ["another host", "https://evil.example/bye"],
    ["the redirect URI of logins", "https://app.example.com/callback"],
  ])("end_session redirects to no URI that is not registered: %s", async (_, uri) => {
    const visitor = await loggedIn();
    const params = { client_id: app.id, post_logout_redirect_uri: uri };
    const answer = await visitor.get(urlOf(params));
    expect([answer.status, await answer.text()]).toEqual([400, "post_logout_redirect_uri invalid"]);
    expect(await isLoggedIn(visitor)).toBe(true);
  });

  test.each([
    ["no token at all", async () => ({ id_token_hint: freshName() }), "id_token_hint invalid"],
    [
      "of another issuer",
      async () => ({ id_token_hint: await idToken({ iss: "https://evil.example" }) }),
      "id_token_hint invalid",
    ],
    [
      "an access token",
      async () => ({ id_token_hint: await idToken({ scope: "" }) }),
      "id_token_hint invalid",
    ],
    [
      "of another client",
      async () => ({ id_token_hint: await idToken(), client_id: "another" }),
      "client_id does not match azp of id_token_hint",
    ],
  ])("end_session refuses a hint that is %s", async (_, params, text) => {
    const answer = await new PageVisitor().get(urlOf(await params()));
    expect([answer.status, await answer.text()]).toEqual([400, text]);
  });
});
