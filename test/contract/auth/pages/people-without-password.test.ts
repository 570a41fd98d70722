import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { freshClient } from "#test/support/auth/clients.ts";
import { freshOperator, signedIn, signInSilently } from "#test/support/auth/console.ts";
import { freshPerson } from "#test/support/auth/logins.ts";
import { PageVisitor } from "#test/support/auth/pages.ts";
import {
  auditOf,
  canLogIn,
  setScopes,
  STRONG,
  USERS,
  userOf,
} from "#test/support/auth/takeover.ts";
import { api, freshName, token } from "#test/support/platform/api.ts";
import { isolate } from "#test/support/runner/isolate.ts";

const PATH = "/api/auth/password";
const PASSWORD = "correct horse battery";

const add = (body: object, bearer?: string) =>
  api(USERS, { body, ...(bearer === undefined ? {} : { token: bearer }) });

const login = (at: number, personId: string) =>
  env.DB.prepare("UPDATE auth_sessions SET authenticated_at = ? WHERE person_id = ?")
    .bind(`${new Date(at).toISOString().slice(0, -1)}000Z`, personId)
    .run();

describe("a person without a password", () => {
  test("a person without a password is added with name and scopes", async () => {
    const email = `${freshName("ada")}@localhost`;
    const response = await add({ email, name: "Ada", scopes: STRONG });
    expect(response.status).toBe(201);
    const { data } = await response.json<{ data: { id: string } }>();
    expect(data).toEqual({
      id: data.id,
      subject: data.id,
      email,
      name: "Ada",
      scopes: STRONG,
      ledgers: [],
      canLogIn: false,
    });
    expect(await userOf(data.id)).toEqual(data);
    expect(await auditOf("auth.person.create", `users/${data.id}`)).toBe(1);
  });

  test("a person without a password is not added with an e-mail address that somebody has, in whatever case", async () => {
    const { email } = await freshPerson();
    const answers = await Promise.all(
      [email, email.toUpperCase(), ` ${email}`].map((text) => add({ email: text, scopes: [] })),
    );
    expect(answers.map(({ status }) => status)).toEqual([409, 409, 400]);
    const fresh = `${freshName("ada")}@example.com`;
    const twice = await Promise.all([1, 2].map(() => add({ email: fresh, scopes: [] })));
    expect(twice.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      201, 409,
    ]);
  });

  test("a person without a password is added by nobody who may not give the scopes, and not for another provider", async () => {
    const weak = await freshClient("auth:write");
    const email = `${freshName("ada")}@example.com`;
    const refused = await add({ email, scopes: STRONG }, weak.token);
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining("you may not give scopes that you do not have yourself"),
    ]);
    const elsewhere = isolate({
      FLORIN_LOGIN_ISSUER: "https://login.example.com",
      FLORIN_LOGIN_CLIENT_ID: "f",
    });
    const there = await elsewhere(USERS, {
      method: "POST",
      headers: { authorization: `Bearer ${await token("auth:write")}` },
      body: JSON.stringify({ email, scopes: [] }),
    });
    expect([there.status, await there.text()]).toEqual([
      400,
      expect.stringContaining("people log in at https://login.example.com"),
    ]);
  });

  test("a person without a password logs in by no password, be it empty", async () => {
    const { id, email } = await freshOperator();
    for (const password of ["", "null", PASSWORD]) {
      expect(await canLogIn({ id, email, password })).toBe(false);
    }
  });

  test("a person without a password sets one after a fresh login, and logs in with it from then on", async () => {
    const { id, email } = await freshOperator("ledger:read");
    const visitor = await signedIn(id);
    expect(await (await visitor.get("/api/auth/account")).text()).toContain("Set a password");
    const page = await (await visitor.get(PATH)).text();
    expect(page).toContain("Set the password");
    expect(page).not.toContain("Old password");
    expect((await visitor.post(PATH, { new: "short" })).status).toBe(400);
    const other = await signedIn(id);
    expect((await visitor.post(PATH, { new: PASSWORD })).status).toBe(200);
    expect((await signInSilently(visitor)).status).toBe(200);
    // The other browser is logged out, and everybody needs the old password from now on.
    expect((await other.post(PATH, { new: PASSWORD })).status).toBe(401);
    expect((await visitor.post(PATH, { new: `${PASSWORD} 2` })).status).toBe(401);
    expect(await (await visitor.get(PATH)).text()).toContain("Old password");
    expect(await canLogIn({ id, email, password: PASSWORD })).toBe(true);
    expect(await userOf(id)).toMatchObject({ canLogIn: true });
    expect(await auditOf("auth.person.password", `users/${id}`)).toBe(1);
  });

  test("a person without a password sets none without a fresh login of an own session", async () => {
    const { id } = await freshOperator();
    expect((await new PageVisitor().post(PATH, { new: PASSWORD })).status).toBe(401);
    const visitor = await signedIn(id);
    await login(Date.now() - 16 * 60_000, id);
    expect((await visitor.get(PATH)).status).toBe(401);
    expect((await visitor.post(PATH, { new: PASSWORD })).status).toBe(401);
    await login(Date.now() - 14 * 60_000, id);
    const foreign = { origin: "https://evil.example" };
    expect((await visitor.post(PATH, { new: PASSWORD }, foreign)).status).toBe(403);
    expect((await visitor.post(PATH, { new: PASSWORD })).status).toBe(200);
  });

  test("a person without a password sets one of two at the same moment", async () => {
    const { id, email } = await freshOperator();
    const visitors = [await signedIn(id), await signedIn(id)];
    const passwords = [`${PASSWORD} 1`, `${PASSWORD} 2`];
    const answers = await Promise.all(
      visitors.map((visitor, index) => visitor.post(PATH, { new: passwords[index] ?? "" })),
    );
    const isSet = await Promise.all(passwords.map((password) => canLogIn({ id, email, password })));
    expect(isSet.filter(Boolean)).toHaveLength(1);
    expect(answers.map(({ status }) => status === 200)).toEqual(isSet);
  });

  test("a person without a password whom somebody weaker has added gets no session of them when scopes are given", async () => {
    const weak = await freshClient("auth:write");
    const added = await add({ email: `${freshName("eve")}@example.com`, scopes: [] }, weak.token);
    const { data } = await added.json<{ data: { id: string } }>();
    const visitor = await signedIn(data.id);
    expect((await visitor.post(PATH, { new: PASSWORD })).status).toBe(200);
    await setScopes(data.id, STRONG);
    expect((await visitor.get(PATH)).status).toBe(401);
  });
});
