import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import {
  authorizeUrl,
  freshApp,
  freshPerson,
  logIn,
  openLogin,
  type TestApp,
  type TestPerson,
} from "#test/support/auth/logins.ts";
import { PageVisitor } from "#test/support/auth/pages.ts";

const PATH = "/api/auth/passkeys";
/** The response of a browser for a passkey that nobody has. */
const RESPONSE = JSON.stringify({
  id: "AAAA",
  rawId: "AAAA",
  type: "public-key",
  clientExtensionResults: {},
  response: { clientDataJSON: "e30", authenticatorData: "AAAA", signature: "AAAA" },
});

let app: TestApp;
let ada: TestPerson;

beforeAll(async () => {
  app = await freshApp();
  ada = await freshPerson();
});

async function loggedIn(): Promise<PageVisitor> {
  const visitor = new PageVisitor();
  await logIn(visitor, authorizeUrl(app), ada);
  return visitor;
}

const challenges = async (table: string): Promise<number> => {
  const query = `SELECT count(*) AS count FROM ${table} WHERE challenge IS NOT NULL`;
  return (await env.DB.prepare(query).first<number>("count")) ?? 0;
};

describe("a login with a passkey", () => {
  test("a login with a passkey is asked of the device, with a challenge that is good for one attempt", async () => {
    const visitor = new PageVisitor();
    const form = await openLogin(visitor, authorizeUrl(app));
    const asked = await visitor.post(`${PATH}/ask`, form);
    expect(await asked.json()).toMatchObject({ rpId: "localhost", userVerification: "required" });
    expect(await challenges("auth_logins")).toBe(1);
    const fields = { ...form, response: RESPONSE };
    expect((await visitor.post(`${PATH}/log-in`, fields)).status).toBe(400);
    expect(await challenges("auth_logins")).toBe(0);
    expect((await visitor.post(`${PATH}/log-in`, fields)).status).toBe(400);
    expect(visitor.cookies.has("florin-session")).toBe(false);
  });

  test.each(["", "{", "[]", "{}", '{"id":1,"response":{}}'])(
    "a login with a passkey is refused with %j in its place",
    async (response) => {
      const visitor = new PageVisitor();
      const form = await openLogin(visitor, authorizeUrl(app));
      await visitor.post(`${PATH}/ask`, form);
      expect((await visitor.post(`${PATH}/log-in`, { ...form, response })).status).toBe(400);
    },
  );

  test("a login with a passkey goes on only in the browser in which it was begun, and not from another site", async () => {
    const visitor = new PageVisitor();
    const form = await openLogin(visitor, authorizeUrl(app));
    expect((await new PageVisitor().post(`${PATH}/ask`, form)).status).toBe(400);
    const evil = { origin: "https://evil.example" };
    expect((await visitor.post(`${PATH}/ask`, form, evil)).status).toBe(403);
  });
});

describe("a new passkey", () => {
  test("a new passkey is offered to who has just logged in, and must be what was offered", async () => {
    const visitor = await loggedIn();
    const offered = await visitor.post(`${PATH}/offer`, {});
    expect(await offered.json()).toMatchObject({
      rp: { id: "localhost" },
      user: { name: ada.email },
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
    });
    expect((await visitor.post(`${PATH}/add`, { response: RESPONSE })).status).toBe(400);
    expect(await challenges("auth_sessions")).toBe(0);
    const passkeys = await env.DB.prepare("SELECT count(*) AS n FROM auth_passkeys").first("n");
    expect(passkeys).toBe(0);
  });

  test.each(["offer", "add", "delete"])("a new passkey needs a login: %s", async (path) => {
    expect((await new PageVisitor().post(`${PATH}/${path}`, {})).status).toBe(401);
    const visitor = await loggedIn();
    const evil = { origin: "https://evil.example" };
    expect((await visitor.post(`${PATH}/${path}`, {}, evil)).status).toBe(403);
    await env.DB.prepare("UPDATE auth_sessions SET authenticated_at = ? WHERE person_id = ?")
      .bind(new Date(Date.now() - 16 * 60_000).toISOString().replace("Z", "000Z"), ada.id)
      .run();
    expect((await visitor.post(`${PATH}/${path}`, {})).status).toBe(401);
    expect((await visitor.get("/api/auth/account")).status).toBe(401);
  });
});
