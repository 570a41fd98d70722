import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { findPerson } from "#modules/auth/people/find-person.ts";
import { freshClient } from "#test/support/auth/clients.ts";
import { dumpOf } from "#test/support/auth/dump.ts";
import { PageVisitor } from "#test/support/auth/pages.ts";
import { storePerson } from "#test/support/auth/people.ts";
import { api, freshName, token } from "#test/support/platform/api.ts";

const PASSWORD = "correct horse battery";
const PATH = "/api/auth/invitation";

interface Invited {
  readonly data: { url: string; email?: string; scopes: string[]; expiresAt: string };
}

async function invite(body: object = { scopes: ["ledger:read"] }): Promise<Invited["data"]> {
  const response = await api("/api/florin/v1/invitations", { body });
  expect(response.status).toBe(201);
  expect(response.headers.get("cache-control")).toBe("no-store");
  return (await response.json<Invited>()).data;
}

const tokenOf = (url: string): string => new URL(url).searchParams.get("token") ?? "";
const freshEmail = (): string => `${freshName("ada")}@example.com`;

async function users(): Promise<{ id: string; email: string; name?: string; scopes: string[] }[]> {
  const response = await api("/api/florin/v1/users");
  return (await response.json<{ data: Awaited<ReturnType<typeof users>> }>()).data;
}

describe("an invitation", () => {
  test("an invitation makes whoever opens it a user with its scopes, once", async () => {
    const { url, expiresAt } = await invite({ scopes: ["ledger:read", "wallets:write"] });
    expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now() + 6 * 24 * 3_600_000);
    const visitor = new PageVisitor();
    const page = await (await visitor.get(url)).text();
    expect(page).toContain("<form");
    const email = freshEmail();
    const fields = { token: tokenOf(url), email: ` ${email} `, name: "Ada", password: PASSWORD };
    const accepted = await visitor.post(PATH, fields);
    expect([accepted.status, await accepted.text()]).toEqual([200, expect.stringContaining(email)]);
    const user = (await users()).find((item) => item.email === email);
    expect(user).toEqual({
      id: user?.id,
      subject: user?.id,
      email,
      name: "Ada",
      scopes: ["ledger:read", "wallets:write"],
      ledgers: [],
      canLogIn: true,
    });
    expect((await visitor.get(url)).status).toBe(404);
    expect((await visitor.post(PATH, { ...fields, email: freshEmail() })).status).toBe(404);
  });

  test("an invitation for an e-mail address takes no other one", async () => {
    const email = freshEmail();
    const { url } = await invite({ email, scopes: [] });
    const fields = { token: tokenOf(url), email: "mallory@example.com", password: PASSWORD };
    expect((await new PageVisitor().post(PATH, fields)).status).toBe(200);
    const emails = (await users()).map((user) => user.email);
    expect(emails).toContain(email);
    expect(emails).not.toContain("mallory@example.com");
  });

  test("an invitation is accepted once by two at the same time", async () => {
    const { url } = await invite();
    const emails = [freshEmail(), freshEmail()];
    const answers = await Promise.all(
      emails.map((email) =>
        new PageVisitor().post(PATH, { token: tokenOf(url), email, password: PASSWORD }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404]);
    const known = (await users()).filter(({ email }) => emails.includes(email));
    expect(known).toHaveLength(1);
  });

  test("an invitation stays open when the e-mail address is taken, in whatever case", async () => {
    const email = freshEmail();
    const first = await invite({ email, scopes: [] });
    await new PageVisitor().post(PATH, { token: tokenOf(first.url), password: PASSWORD });
    const { url } = await invite();
    const fields = { token: tokenOf(url), email: email.toUpperCase(), password: PASSWORD };
    const taken = await new PageVisitor().post(PATH, fields);
    expect([taken.status, await taken.text()]).toEqual([409, expect.stringContaining("already")]);
    expect((await new PageVisitor().post(PATH, { ...fields, email: freshEmail() })).status).toBe(
      200,
    );
  });

  test.each([
    ["a short password", { password: "eleven char" }, "at least 12 characters"],
    ["a long password", { password: "x".repeat(257) }, "longer than 256"],
    ["no e-mail address", { email: "ada" }, "not an e-mail address"],
    ["a long name", { name: "x".repeat(101) }, "longer than 100"],
  ])("an invitation is not used up by %s", async (_, wrong, sentence) => {
    const { url } = await invite();
    const fields = { token: tokenOf(url), email: freshEmail(), password: PASSWORD };
    const refused = await new PageVisitor().post(PATH, { ...fields, ...wrong });
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining(sentence),
    ]);
    expect((await new PageVisitor().post(PATH, fields)).status).toBe(200);
  });

  test("an invitation shows what was typed as text and never the password", async () => {
    const { url } = await invite();
    const name = `"><script>alert(1)</script>`;
    const fields = { token: tokenOf(url), email: "ada", name, password: "secret pass" };
    const page = await (await new PageVisitor().post(PATH, fields)).text();
    expect(page).toContain("&lt;script&gt;");
    expect(page).not.toContain("<script");
    expect(page).not.toContain("secret pass");
  });

  test("an invitation is no longer there when it has expired", async () => {
    const { url } = await invite();
    await env.DB.prepare("UPDATE auth_invitations SET expires_at = ?")
      .bind("2026-01-01T00:00:00.000000Z")
      .run();
    const page = await new PageVisitor().get(url);
    expect([page.status, await page.text()]).toEqual([404, expect.stringContaining("has expired")]);
  });

  test("an invitation is stored as a hash, and the password as another", async () => {
    const { url } = await invite();
    const password = freshName("password");
    await new PageVisitor().post(PATH, { token: tokenOf(url), email: freshEmail(), password });
    const waiting = await invite();
    const dump = await dumpOf(env.DB);
    expect(dump).toContain("scrypt$");
    for (const secret of [tokenOf(url), tokenOf(waiting.url), password]) {
      expect(dump).not.toContain(secret);
    }
  });
});

describe("the page of an invitation", () => {
  test("the page of an invitation is not shown in frames, runs nothing, is not cached and tells no other site its URL", async () => {
    const { url } = await invite();
    const { headers } = await new PageVisitor().get(url);
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("form-action 'self'");
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": "text/html; charset=UTF-8",
      "x-frame-options": "DENY",
      "x-content-type-options": "nosniff",
      "referrer-policy": "same-origin",
      "cache-control": "no-store",
    });
  });

  test.each([
    [{ origin: "https://evil.example" }],
    [{ origin: "null" }],
    [{ "sec-fetch-site": "cross-site" }],
    [{ "sec-fetch-site": "same-site" }],
  ])("the page of an invitation takes no form of another site: %o", async (headers) => {
    const { url } = await invite();
    const fields = { token: tokenOf(url), email: freshEmail(), password: PASSWORD };
    expect((await new PageVisitor().post(PATH, fields, headers)).status).toBe(403);
    expect((await new PageVisitor().post(PATH, fields)).status).toBe(200);
  });
});

describe("the person or client that invites", () => {
  test("the client that invites gives no scope that the client may not have", async () => {
    const client = await freshClient("auth:write", "ledger:read");
    const send = (scopes: readonly string[]) =>
      api("/api/florin/v1/invitations", { token: client.token, body: { scopes } });
    expect((await send(["ledger:read"])).status).toBe(201);
    const refused = await send(["ledger:read", "ledger:write"]);
    expect([refused.status, await refused.json()]).toEqual([
      400,
      {
        errorCode: "VALIDATION",
        errorMessage:
          "[VALIDATION] you may not give scopes that you do not have yourself: ledger:write",
      },
    ]);
  });

  test("the client that invites needs auth:write", async () => {
    const body = { scopes: [] };
    const refused = await api("/api/florin/v1/invitations", {
      token: await token("auth:read"),
      body,
    });
    expect(refused.status).toBe(401);
  });
});

describe("a user", () => {
  test("a user gets other scopes, though none that the client may not give", async () => {
    const { id } = await storePerson({ scopes: ["ledger:read"] });
    const path = `/api/florin/v1/users/${id}`;
    const answer = await api(path, { method: "PUT", body: { scopes: ["wallets:read"] } });
    expect(await answer.json()).toMatchObject({ data: { id, scopes: ["wallets:read"] } });
    const client = await freshClient("auth:write");
    const init = { method: "PUT", token: client.token, body: { scopes: ["ledger:write"] } };
    expect((await api(path, init)).status).toBe(400);
    expect((await findPerson({ env }, id))?.scopes).toEqual(["wallets:read"]);
    expect(
      (await api("/api/florin/v1/users/no", { method: "PUT", body: { scopes: [] } })).status,
    ).toBe(404);
  });

  test("a user is deleted, and a second time nothing happens; the audit tells of both changes", async () => {
    const { id } = await storePerson();
    const path = `/api/florin/v1/users/${id}`;
    await api(path, { method: "PUT", body: { scopes: [] } });
    expect((await api(path, { method: "DELETE" })).status).toBe(204);
    expect((await api(path, { method: "DELETE" })).status).toBe(204);
    expect(await findPerson({ env }, id)).toBeUndefined();
    const audit = await api(`/api/florin/v1/audit?object=users/${id}`);
    const { cursor } = await audit.json<{ cursor: { data: { action: string }[] } }>();
    expect(cursor.data.map(({ action }) => action)).toEqual([
      "auth.person.delete",
      "auth.person.scopes",
    ]);
  });
});
