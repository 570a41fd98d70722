import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { Authenticator } from "#test/support/auth/authenticator.ts";
import { clientWith, freshClient, makeClient } from "#test/support/auth/clients.ts";
import {
  askSilently,
  offer,
  secretFor,
  secretOf,
  SIGN_IN,
  SIGN_IN_LINKS,
  signedIn,
  signIn,
  works,
} from "#test/support/auth/console.ts";
import { dumpOf } from "#test/support/auth/dump.ts";
import { freshPerson, PASSWORD, type TestPerson } from "#test/support/auth/logins.ts";
import { PageVisitor } from "#test/support/auth/pages.ts";
import { storePerson } from "#test/support/auth/people.ts";
import {
  acting,
  actingPerson,
  addPasskey,
  asAdministrator,
  auditOf,
  canLogIn,
  canLogInBy,
  CLIENTS,
  openLink,
  setScopes,
  STRONG,
  urlOf,
  USERS,
  weakClient,
} from "#test/support/auth/takeover.ts";
import { api, BASE_URL, token } from "#test/support/platform/api.ts";
import { isolate } from "#test/support/runner/isolate.ts";

const MINUTE_MS = 60_000;
const GONE =
  '{"errorCode":"NOT_FOUND","errorMessage":"[NOT_FOUND] The link has been used or has expired. Ask for another one."}';

let ada: TestPerson;

beforeAll(async () => {
  ada = await freshPerson(...STRONG);
});

const isSignedIn = async (visitor: PageVisitor): Promise<boolean> =>
  (await askSilently(visitor)).searchParams.has("code");

/** The status and the body of the answer to a secret. */
async function answerTo(secret: string, visitor = new PageVisitor()) {
  const response = await signIn(visitor, secret);
  return [response.status, await response.text(), response.headers.getSetCookie()];
}

const by =
  (bearer: string): typeof api =>
  (path, init) =>
    api(path, { ...init, token: bearer });

const moveEnd = (ms: number) =>
  env.DB.prepare("UPDATE auth_invitations SET expires_at = ? WHERE hash LIKE 'sign-in:%'")
    .bind(`${new Date(Date.now() + ms).toISOString().slice(0, -1)}000Z`)
    .run();

describe("a link that signs in", () => {
  test("a link that signs in begins a session, once, which the console uses without showing anything", async () => {
    const before = await auditOf("auth.person.sign-in", `users/${ada.id}`);
    const response = await api(SIGN_IN_LINKS, { body: { personId: ada.id } });
    expect([response.status, response.headers.get("cache-control")]).toEqual([201, "no-store"]);
    const { data } = await response.json<{ data: Awaited<ReturnType<typeof offer>> }>();
    expect(data).toEqual({
      url: expect.stringMatching(/^http:\/\/localhost:8787\/console\/sign-in#[\w-]{43}$/) as string,
      personId: ada.id,
      email: ada.email,
      expiresAt: expect.any(String) as string,
    });
    const leftMs = Date.parse(data.expiresAt) - Date.now();
    expect(leftMs).toBeGreaterThan(9 * MINUTE_MS);
    expect(leftMs).toBeLessThanOrEqual(10 * MINUTE_MS);
    const visitor = new PageVisitor();
    const [status, body, cookies] = await answerTo(secretOf(data), visitor);
    expect([status, body]).toEqual([204, ""]);
    expect(cookies).toEqual([
      expect.stringMatching(/^florin-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/),
      expect.stringMatching(/^florin-device=\S+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
    expect(await isSignedIn(visitor)).toBe(true);
    expect(await auditOf("auth.person.sign-in", `users/${ada.id}`)).toBe(before + 1);
    expect(await auditOf("auth.person.sign-in-link", `users/${ada.id}`)).toBeGreaterThan(0);
    expect(await answerTo(secretOf(data))).toEqual([404, GONE, []]);
    expect(await isSignedIn(visitor)).toBe(true);
  });

  test("a link that signs in is used once by two at the same moment", async () => {
    const secret = await secretFor(api, ada.id);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => signIn(new PageVisitor(), secret)),
    );
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      204, 404, 404, 404, 404,
    ]);
  });

  test("a link that signs in has one answer for whatever begins no session, and logs nobody out", async () => {
    const visitor = await signedIn(ada.id);
    const expired = await secretFor(api, ada.id);
    await moveEnd(-1);
    for (const secret of ["", "x", "é", "x".repeat(1000), secretOf(await ended()), expired]) {
      expect(await answerTo(secret, visitor)).toEqual([404, GONE, []]);
    }
    for (const body of [null, [], "text", 1, {}, { secret: null }, { secret: [expired] }]) {
      const response = await visitor.postJson(SIGN_IN, body);
      expect([body, response.status, await response.text()]).toEqual([body, 404, GONE]);
    }
    expect(await isSignedIn(visitor)).toBe(true);
  });

  /** A link whose person was deleted. */
  async function ended() {
    const { id } = await freshPerson();
    const link = await offer(api, id);
    await api(`${USERS}/${id}`, { method: "DELETE" });
    return link;
  }

  test("a link that signs in takes ten minutes, and no more where the clock is set back", async () => {
    const secret = await secretFor(api, ada.id);
    await moveEnd(11 * MINUTE_MS);
    expect(await works(secret)).toBe(false);
    await moveEnd(9 * MINUTE_MS);
    expect(await works(secret)).toBe(true);
  });

  test.each([
    { origin: "https://evil.example", "sec-fetch-site": "cross-site" },
    { origin: "https://evil.example" },
    { origin: "null" },
    { "sec-fetch-site": "same-site" },
  ])("a link that signs in is taken from no other site: %o", async (headers) => {
    const secret = await secretFor(api, ada.id);
    const visitor = new PageVisitor();
    const refused = await visitor.postJson(SIGN_IN, { secret }, headers);
    expect([refused.status, refused.headers.getSetCookie()]).toEqual([403, []]);
    expect(await refused.json()).toMatchObject({ errorCode: "VALIDATION" });
    expect((await signIn(visitor, secret)).status).toBe(204);
  });

  test("a link that signs in needs JSON of a reasonable size", async () => {
    const post = (body: string) =>
      new PageVisitor().postJson(SIGN_IN, { secret: body }).then(({ status }) => status);
    expect(await post("x".repeat(100_000))).toBe(413);
    const response = await isolate()(SIGN_IN, { method: "POST", body: "secret=x" });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { errorMessage: "[VALIDATION] the body is not valid JSON" },
    ]);
  });

  test("a link that signs in replaces the browser's session, and the one before it", async () => {
    const visitor = await signedIn((await freshPerson()).id);
    const former = visitor.cookies.get("florin-session") ?? "";
    const first = await secretFor(api, ada.id);
    const secret = await secretFor(api, ada.id);
    expect(await works(first)).toBe(false);
    expect((await signIn(visitor, secret)).status).toBe(204);
    const old = new PageVisitor();
    old.cookies.set("florin-session", former);
    expect([await isSignedIn(old), await isSignedIn(visitor)]).toEqual([false, true]);
  });

  test("a link that signs in sets no password, and lives beside a link that does", async () => {
    const { id } = await freshPerson();
    const link = await urlOf(await api(`${USERS}/${id}/password-reset`, { method: "POST" }));
    const secret = await secretFor(api, id);
    const fields = { token: secret, password: PASSWORD };
    expect((await new PageVisitor().post("/api/auth/invitation", fields)).status).toBe(404);
    const another = await urlOf(await api(`${USERS}/${id}/password-reset`, { method: "POST" }));
    expect(await works(new URL(another).searchParams.get("token") ?? "")).toBe(false);
    expect(await works(secret)).toBe(true);
    expect(await openLink(link)).toBe(false);
    expect(await openLink(another)).toBe(true);
  });

  test("a link that signs in is stored as a hash", async () => {
    const secret = await secretFor(api, ada.id);
    const dump = await dumpOf(env.DB);
    expect(dump).toContain("sign-in:");
    expect(dump).not.toContain(secret);
  });

  test("a link that signs in is no use where people log in at another provider", async () => {
    const secret = await secretFor(api, ada.id);
    const settings = {
      FLORIN_LOGIN_ISSUER: "https://login.example.com",
      FLORIN_LOGIN_CLIENT_ID: "f",
    };
    const elsewhere = isolate(settings);
    const headers = { authorization: `Bearer ${await token("auth:write")}` };
    const init = { method: "POST", headers, body: JSON.stringify({ personId: ada.id }) };
    const refused = await elsewhere(SIGN_IN_LINKS, init);
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining("people log in at https://login.example.com and sign in there"),
    ]);
    expect((await signIn(new PageVisitor(elsewhere), secret)).status).toBe(404);
    const { id } = await storePerson();
    const foreign = await api(SIGN_IN_LINKS, { body: { personId: id } });
    expect([foreign.status, await foreign.text()]).toEqual([
      400,
      expect.stringContaining("the user logs in at https://login.example.com, not by a link"),
    ]);
  });
});

describe("a link that signs in ends when", () => {
  const CASES: readonly [string, (id: string, visitor: PageVisitor) => Promise<unknown>][] = [
    ["the person gets more scopes", (id) => setScopes(id, [...STRONG, "wallets:read"])],
    ["the person loses scopes", (id) => setScopes(id, ["ledger:write"])],
    ["the person is deleted", (id) => api(`${USERS}/${id}`, { method: "DELETE" })],
    [
      "the person gets a password by a link",
      async (id) =>
        openLink(await urlOf(await api(`${USERS}/${id}/password-reset`, { method: "POST" }))),
    ],
    [
      "the person changes the password",
      (_, visitor) => visitor.post("/api/auth/password", { old: PASSWORD, new: `${PASSWORD} 2` }),
    ],
  ];

  test.each(CASES)("a link that signs in ends when %s", async (_, end) => {
    const { id } = await freshPerson(...STRONG);
    const visitor = await signedIn(id);
    const secret = await secretFor(api, id);
    await end(id, visitor);
    expect(await works(secret)).toBe(false);
  });

  test.each([
    ["loses scopes", (id: string) => asAdministrator(id, { scopes: ["auth:write"] })],
    ["is bound", (id: string) => asAdministrator(id, { metadata: { ledgers: "eu-1" } })],
    ["is deleted", (id: string) => api(`${CLIENTS}/${id}`, { method: "DELETE" })],
  ])("a link that signs in ends when the client that has made it %s", async (_, end) => {
    const maker = await acting(await makeClient({ scopes: ["auth:write", ...STRONG] }));
    const secret = await secretFor(maker.call, ada.id);
    await end(maker.id);
    expect(await works(secret)).toBe(false);
  });

  test("a link that signs in ends when the person who has made it loses scopes", async () => {
    const maker = await freshPerson("auth:write", ...STRONG);
    const secret = await secretFor((await actingPerson(maker)).call, ada.id);
    await setScopes(maker.id, ["auth:write"]);
    expect(await works(secret)).toBe(false);
  });

  test("a link that signs in ends when its maker loses scopes at the moment at which it is made", async () => {
    for (let round = 0; round < 5; round++) {
      const maker = await acting(await makeClient({ scopes: ["auth:write", ...STRONG] }));
      const [made] = await Promise.all([
        maker.call(SIGN_IN_LINKS, { body: { personId: ada.id } }),
        asAdministrator(maker.id, { scopes: ["auth:write"] }),
      ]);
      const link = made.ok
        ? (await made.json<{ data: { url: string } }>()).data
        : { url: BASE_URL };
      expect(await works(secretOf(link))).toBe(false);
    }
  });
});

describe("a link that signs in is made by", () => {
  const refusal = async (call: typeof api, personId?: string) => {
    const response = await call(SIGN_IN_LINKS, { body: { personId } });
    return [response.status, await response.text()];
  };

  test("a link that signs in is made by nobody who may do less than the person", async () => {
    expect(await refusal((await weakClient()).call, ada.id)).toEqual([
      400,
      expect.stringContaining("You lack: ledger:write, payments:write"),
    ]);
    const reader = await freshClient("auth:read", ...STRONG);
    expect((await refusal(by(reader.token), ada.id))[0]).toBe(401);
  });

  test("a link that signs in is made by nobody who may do less than the person could lately", async () => {
    const { id } = await freshPerson(...STRONG);
    await setScopes(id, []);
    expect(await refusal((await weakClient()).call, id)).toEqual([
      400,
      expect.stringContaining("could do more than you until recently"),
    ]);
  });

  test("a link that signs in is made by nobody who is bound to ledgers", async () => {
    const { token: bound } = await clientWith({
      scopes: ["auth:write", ...STRONG],
      metadata: { ledgers: "eu-*" },
    });
    expect((await refusal(by(bound), ada.id))[0]).toBe(401);
  });

  test("a link that signs in is made by a person for themselves, as far as the token allows", async () => {
    const person = await freshPerson("auth:write", "ledger:read");
    const { call } = await actingPerson(person);
    expect(await offer(call)).toMatchObject({ personId: person.id, email: person.email });
    const { app, visitor } = await actingPerson(person);
    expect(visitor.cookies.has("florin-session")).toBe(true);
    await asAdministrator(app.id, { scopes: ["auth:write"] });
    const { call: narrow } = await actingPerson(person, app);
    expect(await refusal(narrow)).toEqual([400, expect.stringContaining("You lack: ledger:read")]);
  });

  test("a link that signs in is made for a person that the client names, and who is there", async () => {
    expect(await refusal(api)).toEqual([400, expect.stringContaining("personId is missing")]);
    const empty = await api(SIGN_IN_LINKS, { method: "POST" });
    expect([empty.status, await empty.text()]).toEqual([
      400,
      expect.stringContaining("personId is missing"),
    ]);
    expect(await refusal(api, "nobody")).toEqual([
      404,
      expect.stringContaining("there is no user 'nobody'"),
    ]);
  });
});

describe("scopes that are given to a person give nothing to whoever has signed in as the person", () => {
  test("scopes that are given to a person give nothing to whoever has signed in as the person by a link of somebody weaker", async () => {
    const weak = await weakClient();
    const victim = await freshPerson();
    const visitor = new PageVisitor();
    await signIn(visitor, await secretFor(weak.call, victim.id));
    const device = new Authenticator();
    await addPasskey(visitor, device);
    expect([await isSignedIn(visitor), await canLogInBy(device)]).toEqual([true, true]);
    await setScopes(victim.id, STRONG);
    expect([await isSignedIn(visitor), await canLogInBy(device)]).toEqual([false, false]);
    expect(await auditOf("auth.person.credentials.revoke", `users/${victim.id}`)).toBe(1);
    // The link of an administrator alone counts from then on.
    const next = await signedIn(victim.id);
    await next.post("/api/auth/password", { new: `${PASSWORD} 2` });
    await setScopes(victim.id, [...STRONG, "wallets:write"]);
    expect(await isSignedIn(next)).toBe(true);
    expect(await canLogIn({ ...victim, password: `${PASSWORD} 2` })).toBe(true);
  });

  test("scopes that are given to a person end nothing where administrators have made all links", async () => {
    const victim = await freshPerson();
    const visitor = await signedIn(victim.id);
    await setScopes(victim.id, STRONG);
    expect(await isSignedIn(visitor)).toBe(true);
    expect(await canLogIn(victim)).toBe(true);
  });

  test("scopes that are given to a person and a link of somebody weaker never come together", async () => {
    const weak = await weakClient();
    for (let round = 0; round < 5; round++) {
      const victim = await freshPerson();
      const secret = await secretFor(weak.call, victim.id);
      const visitor = new PageVisitor();
      await Promise.all([signIn(visitor, secret), setScopes(victim.id, STRONG)]);
      expect(await isSignedIn(visitor)).toBe(false);
    }
  });
});
