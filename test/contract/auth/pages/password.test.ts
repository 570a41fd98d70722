import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { INVITATION_MS } from "#modules/auth/administration/invitations.ts";
import { issueCode } from "#modules/auth/grants/authorization-codes.ts";
import { RESET_MS } from "#modules/auth/passwords/password-resets.ts";
import { hashPassword } from "#modules/auth/people/passwords.ts";
import { beginSession, sessionExists } from "#modules/auth/people/sessions.ts";
import { hasPassword, PeopleStore } from "#modules/auth/people/store.ts";
import { authPeople } from "#modules/auth/people/tables.ts";
import { present } from "#platform/assert.ts";
import { systemContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { derivePasswordKey } from "#platform/secrets/password-key.ts";
import { freshClient } from "#test/support/auth/clients.ts";
import { dumpOf } from "#test/support/auth/dump.ts";
import {
  authorizeUrl,
  freshApp,
  locationOf,
  openLogin,
  PASSWORD,
  type TestApp,
  type TestPerson,
  VERIFIER,
} from "#test/support/auth/logins.ts";
import { PageVisitor } from "#test/support/auth/pages.ts";
import { storePerson } from "#test/support/auth/people.ts";
import { ask } from "#test/support/auth/token-requests.ts";
import { api, BASE_URL, freshName, token } from "#test/support/platform/api.ts";

const PATH = "/api/auth/password";
const INVITATION = "/api/auth/invitation";
const NEXT = "another horse battery";

const context = systemContext(env, "test");

let app: TestApp;
let ada: TestPerson;

beforeAll(async () => {
  app = await freshApp();
});
beforeEach(async () => {
  ada = await personWith("ledger:read");
});

/** The hash of the first password of all people in this file. */
const HASH = hashPassword(PASSWORD, derivePasswordKey);

/** A person who logs in at Florin's own page. */
async function personWith(...scopes: readonly string[]): Promise<TestPerson> {
  const id = freshName("person");
  const email = `${id}@example.com`;
  const person = { id, subject: id, issuer: "", email, scopes };
  await storePerson(person);
  const columns = { login: email, password: await HASH };
  await databaseOf(env).update(authPeople).set(columns).where(eq(authPeople.id, id));
  return { id, email, password: PASSWORD };
}

/** A browser in which the person has logged in. */
async function loggedIn({ id: personId } = ada): Promise<PageVisitor> {
  const visitor = new PageVisitor();
  const session = await beginSession(context, { personId, authenticatedAt: context.clock() });
  visitor.cookies.set("florin-session", present(session, "the person is there"));
  return visitor;
}

/** Whether the password is still the first one. */
const isUnchanged = async (): Promise<boolean> =>
  (await new PeopleStore(env).passwordOf(ada.id)) === (await HASH);

/** Whether a browser is still logged in. */
async function hasSession(visitor: PageVisitor): Promise<boolean> {
  const answer = await visitor.get(authorizeUrl(app, { prompt: "none" }));
  const back = new URL(answer.headers.get("location") ?? "");
  if (back.searchParams.has("code")) return true;
  expect(back.searchParams.get("error")).toBe("login_required");
  return false;
}

const redeem = (code: string) =>
  ask({
    grant_type: "authorization_code",
    client_id: app.id,
    code,
    redirect_uri: app.redirectUri,
    code_verifier: VERIFIER,
  });

const refresh = (text = "") =>
  ask({ grant_type: "refresh_token", client_id: app.id, refresh_token: text });

/** Everything that an attacker may have got by the old password. */
async function takeAll() {
  const scope = "openid offline_access ledger:read";
  const visitor = await loggedIn();
  const codeOf = async () =>
    new URL(locationOf(await visitor.get(authorizeUrl(app, { scope })))).searchParams.get("code") ??
    "";
  const tokens = await redeem(await codeOf());
  expect(tokens.status).toBe(200);
  return { visitor, code: await codeOf(), tokens };
}

async function assertEnded({ visitor, code, tokens }: Awaited<ReturnType<typeof takeAll>>) {
  expect(await hasSession(visitor)).toBe(false);
  expect(await redeem(code)).toMatchObject({ status: 400, error: "invalid_grant" });
  expect(await refresh(tokens.refresh_token)).toMatchObject({ status: 400 });
  const userinfo = { headers: { authorization: `Bearer ${tokens.access_token}` }, token: null };
  expect((await api("/api/auth/userinfo", userinfo)).status).toBe(401);
}

const canLogIn = async (password: string): Promise<boolean> => {
  const visitor = new PageVisitor();
  const form = await openLogin(visitor, authorizeUrl(app));
  const answer = await visitor.post("/api/auth/login", { ...form, email: ada.email, password });
  return answer.status === 200;
};

const actionsOf = async (id: string): Promise<string[]> => {
  const audit = await api(`/api/florin/v1/audit?object=users/${id}`);
  const { cursor } = await audit.json<{ cursor: { data: { action: string }[] } }>();
  return cursor.data.map(({ action }) => action);
};

describe("the page to change the password", () => {
  test("the page to change the password changes it, and ends what the old one has given, but for this browser", async () => {
    const taken = await takeAll();
    const visitor = await loggedIn();
    const before = visitor.cookies.get("florin-session");
    expect(await (await visitor.get(PATH)).text()).toContain("Old password");
    const answer = await visitor.post(PATH, { old: ada.password, new: NEXT });
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining(ada.email)]);
    expect(visitor.cookies.get("florin-session")).not.toBe(before);
    expect(await hasSession(visitor)).toBe(true);
    await assertEnded(taken);
    expect([await canLogIn(ada.password), await canLogIn(NEXT)]).toEqual([false, true]);
    expect((await actionsOf(ada.id))[0]).toBe("auth.person.password");
    const dump = await dumpOf(env.DB);
    expect(dump).toContain(ada.email);
    expect(dump).not.toContain(NEXT);
  });

  test("the page to change the password ends nothing of other people, who go on", async () => {
    const other = await loggedIn(await personWith());
    const visitor = await loggedIn();
    expect((await visitor.post(PATH, { old: ada.password, new: NEXT })).status).toBe(200);
    expect(await hasSession(other)).toBe(true);
  });

  test.each([
    ["the old password is wrong", { old: "wrong horse battery" }, 401, "old password is wrong"],
    ["there is no old password", { old: "" }, 401, "old password is wrong"],
    ["the old password is too long", { old: "x".repeat(257) }, 401, "old password is wrong"],
    ["the new one is too short", { new: "short" }, 400, "at least 12 characters"],
    ["the new one is too long", { new: "x".repeat(257) }, 400, "longer than 256"],
  ])("the password page changes nothing where %s", async (...[, changes, status, sentence]) => {
    const visitor = await loggedIn();
    const fields = { old: ada.password, new: NEXT, ...changes };
    const answer = await visitor.post(PATH, fields);
    const page = await answer.text();
    expect([answer.status, page]).toEqual([status, expect.stringContaining(sentence)]);
    for (const text of Object.values(fields)) if (text !== "") expect(page).not.toContain(text);
    expect(await hasSession(visitor)).toBe(true);
    expect(await isUnchanged()).toBe(true);
  });

  test("the page to change the password makes one of two changes at once", async () => {
    const visitors = [await loggedIn(), await loggedIn()];
    const passwords = [NEXT, `${NEXT} 2`];
    const answers = await Promise.all(
      visitors.map((visitor, index) =>
        visitor.post(PATH, { old: ada.password, new: passwords[index] ?? "" }),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    // The second request is refused, because its session has ended or its old password is no longer right.
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    const winner = statuses.indexOf(200);
    expect(await canLogIn(passwords[winner] ?? "")).toBe(true);
  });

  test("the page to change the password takes ten wrong passwords in a minute, which count as failed logins", async () => {
    const visitor = await loggedIn();
    const wrong = { old: "wrong horse battery", new: NEXT };
    const answers = await Promise.all(Array.from({ length: 12 }, () => visitor.post(PATH, wrong)));
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429]);
    const right = await visitor.post(PATH, { old: ada.password, new: NEXT });
    expect([right.status, right.headers.get("retry-after")]).toEqual([
      429,
      expect.stringMatching(/^\d+$/),
    ]);
    expect(await canLogIn(ada.password)).toBe(false);
  });

  test.each([
    [{ origin: "https://evil.example" }],
    [{ origin: "null" }],
    [{ origin: `${BASE_URL}.evil.example` }],
    [{ "sec-fetch-site": "cross-site" }],
    [{ "sec-fetch-site": "same-site" }],
  ])("the page to change the password takes no form of another site: %o", async (headers) => {
    const visitor = await loggedIn();
    const answer = await visitor.post(PATH, { old: ada.password, new: NEXT }, headers);
    expect(answer.status).toBe(403);
    expect(await isUnchanged()).toBe(true);
  });

  test("the page to change the password stays out of frames, scripts and caches", async () => {
    const visitor = await loggedIn();
    for (const answer of [
      await visitor.get(PATH),
      await visitor.post(PATH, { old: ada.password, new: NEXT }),
    ]) {
      const { headers } = answer;
      expect(headers.get("content-security-policy")).toMatch(
        /default-src 'none'.*form-action 'self'.*frame-ancestors 'none'/,
      );
      expect(headers.get("x-frame-options")).toBe("DENY");
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("referrer-policy")).toBe("same-origin");
    }
  });

  test("the page to change the password is for people who are logged in at our own page", async () => {
    for (const visitor of [new PageVisitor(), new PageVisitor()]) {
      expect((await visitor.get(PATH)).status).toBe(401);
      expect((await visitor.post(PATH, { old: ada.password, new: NEXT })).status).toBe(401);
    }
  });

  test("the page to change the password leaves no login behind that was under way with the old password", async () => {
    const visitor = new PageVisitor();
    const form = await openLogin(visitor, authorizeUrl(app));
    const answer = await visitor.post("/api/auth/login", { ...form, ...ada });
    const [, next = ""] = /content="0; url=([^"]+)"/.exec(await answer.text()) ?? [];
    const changer = await loggedIn();
    expect((await changer.post(PATH, { old: ada.password, new: NEXT })).status).toBe(200);
    expect((await visitor.get(next)).status).toBe(400);
  });
});

describe("what begins while the password is changed", () => {
  const loggedInBy = (hash: string) => ({
    personId: ada.id,
    authenticatedAt: context.clock(),
    proof: hasPassword(hash),
  });

  test("a login by the old password makes no session while the password is changed", async () => {
    const old = await new PeopleStore(env).passwordOf(ada.id);
    const visitor = await loggedIn();
    expect(await beginSession(context, loggedInBy(old ?? ""))).toMatch(/^[\w-]{43}$/);
    expect((await visitor.post(PATH, { old: ada.password, new: NEXT })).status).toBe(200);
    expect(await beginSession(context, loggedInBy(old ?? ""))).toBeUndefined();
    const next = await new PeopleStore(env).passwordOf(ada.id);
    expect(await beginSession(context, loggedInBy(next ?? ""))).toMatch(/^[\w-]{43}$/);
  });

  test("an ended session gets no code while the password is changed", async () => {
    const session =
      (await beginSession(context, { personId: ada.id, authenticatedAt: context.clock() })) ?? "";
    const request = {
      clientId: app.id,
      subject: ada.id,
      redirectUri: app.redirectUri,
      scopes: ["openid"],
      authTime: 0,
    };
    const cause = { condition: sessionExists(session) };
    expect(await issueCode(context, request, cause)).toMatch(/^[\w-]{43}$/);
    const visitor = await loggedIn();
    expect((await visitor.post(PATH, { old: ada.password, new: NEXT })).status).toBe(200);
    expect(await issueCode(context, request, cause)).toBeUndefined();
  });
});

describe("a link that sets a new password", () => {
  const pathOf = (id: string) => `/api/florin/v1/users/${id}/password-reset`;

  async function resetLink(id = ada.id): Promise<{ url: string; token: string }> {
    const response = await api(pathOf(id), { method: "POST" });
    expect(response.status).toBe(201);
    expect(response.headers.get("cache-control")).toBe("no-store");
    const { data } = await response.json<{ data: { url: string; email: string } }>();
    return { url: data.url, token: new URL(data.url).searchParams.get("token") ?? "" };
  }

  test("a link that sets a new password works once, and ends what the person had", async () => {
    const taken = await takeAll();
    await env.DB.prepare(
      "INSERT INTO auth_passkeys (id, person_id, public_key, counter) VALUES (?, ?, '', 0)",
    )
      .bind(`key-${ada.id}`, ada.id)
      .run();
    const { url, token: text } = await resetLink();
    // Before the link is used, nothing changes.
    expect(await isUnchanged()).toBe(true);
    const visitor = new PageVisitor();
    const page = await (await visitor.get(url)).text();
    expect(page).toContain("Choose a new password");
    expect(page).toContain(ada.email);
    const short = await visitor.post(INVITATION, { token: text, password: "short" });
    expect(short.status).toBe(400);
    const fields = { token: text, password: NEXT, email: "mallory@example.com", name: "Mallory" };
    const answers = await Promise.all([1, 2].map(() => visitor.post(INVITATION, fields)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404]);
    expect([await canLogIn(ada.password), await canLogIn(NEXT)]).toEqual([false, true]);
    await assertEnded(taken);
    const passkeys = "SELECT count(*) AS n FROM auth_passkeys WHERE person_id = ?";
    expect(await env.DB.prepare(passkeys).bind(ada.id).first("n")).toBe(0);
    expect((await actionsOf(ada.id)).slice(0, 2)).toEqual([
      "auth.person.password",
      "auth.person.reset",
    ]);
    const users = await (await api("/api/florin/v1/users")).text();
    expect(users).not.toContain("mallory@example.com");
  });

  test("a link that sets a new password is replaced by the next one, and ends with a changed password and other scopes", async () => {
    const first = await resetLink();
    const second = await resetLink();
    const statusOf = async ({ url }: { url: string }) => (await new PageVisitor().get(url)).status;
    expect([await statusOf(first), await statusOf(second)]).toEqual([404, 200]);
    const visitor = await loggedIn();
    expect((await visitor.post(PATH, { old: ada.password, new: NEXT })).status).toBe(200);
    expect(await statusOf(second)).toBe(404);
    const third = await resetLink();
    const scopes = { method: "PUT", body: { scopes: ["ledger:read", "ledger:write"] } };
    expect((await api(`/api/florin/v1/users/${ada.id}`, scopes)).status).toBe(200);
    expect(await statusOf(third)).toBe(404);
  });

  test("a link that sets a new password is good for a day", async () => {
    const { url, token: text } = await resetLink();
    const ends = await env.DB.prepare("SELECT expires_at FROM auth_invitations WHERE person_id = ?")
      .bind(ada.id)
      .first<string>("expires_at");
    expect(Date.parse(ends ?? "") - Date.now()).toBeLessThanOrEqual(RESET_MS);
    expect(RESET_MS).toBeLessThan(INVITATION_MS);
    await env.DB.prepare("UPDATE auth_invitations SET expires_at = ? WHERE person_id = ?")
      .bind("2026-01-01T00:00:00.000000Z", ada.id)
      .run();
    expect((await new PageVisitor().get(url)).status).toBe(404);
    const answer = await new PageVisitor().post(INVITATION, { token: text, password: NEXT });
    expect(answer.status).toBe(404);
    expect(await isUnchanged()).toBe(true);
  });

  test("a link that sets a new password is made by nobody who may not give the person's scopes", async () => {
    const actor = await freshClient("auth:write", "wallets:read");
    const init = { method: "POST", token: actor.token };
    const refused = await api(pathOf(ada.id), init);
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining(
        "may do more than you, so that you may not touch it. You lack: ledger:read",
      ),
    ]);
    const plain = await personWith("wallets:read");
    expect((await api(pathOf(plain.id), init)).status).toBe(201);
    const reader = { method: "POST", token: await token("auth:read") };
    expect((await api(pathOf(ada.id), reader)).status).toBe(401);
  });

  test("a link that sets a new password is not for people of another provider, nor for nobody", async () => {
    const { id } = await storePerson();
    expect((await api(pathOf(id), { method: "POST" })).status).toBe(400);
    expect((await api(pathOf("nobody"), { method: "POST" })).status).toBe(404);
  });

  test("a link that sets a new password goes with the person, and makes nobody anew", async () => {
    const { token: text } = await resetLink();
    await api(`/api/florin/v1/users/${ada.id}`, { method: "DELETE" });
    const answer = await new PageVisitor().post(INVITATION, { token: text, password: NEXT });
    expect(answer.status).toBe(404);
    expect(await canLogIn(NEXT)).toBe(false);
  });
});
