import { env } from "cloudflare:workers";
import { afterAll, expect, test, vi } from "vitest";
import { askSilently, secretFor, signIn } from "#test/support/auth/console.ts";
import {
  authorizeUrl,
  freshApp,
  freshPerson,
  locationOf,
  logIn,
  VERIFIER,
} from "#test/support/auth/logins.ts";
import { PageVisitor } from "#test/support/auth/pages.ts";
import { serveAgain } from "#test/support/deployment/restoring.ts";
import { EXPORTERS } from "#test/support/exporters/pipelines.ts";
import { api, token } from "#test/support/platform/api.ts";
import { ENDINGS } from "#test/support/platform/endings.ts";
import { forgetFullStorage } from "#test/support/platform/forget-full-storage.ts";
import { withFullDatabase } from "#test/support/platform/full-database.ts";

afterAll(forgetFullStorage);

const send = withFullDatabase();

vi.spyOn(console, "error").mockReturnValue(undefined);
vi.spyOn(console, "warn").mockReturnValue(undefined);

async function call(path: string, init: RequestInit = {}, bearer?: string): Promise<Response> {
  return send(path, { ...init, headers: { authorization: `Bearer ${bearer ?? (await token())}` } });
}

const entriesOf = async (action: string): Promise<number> =>
  (await env.DB.prepare("SELECT 1 FROM audit WHERE action = ?").bind(action).all()).results.length;

test.each(Object.entries(ENDINGS))(
  "%s works where the database is full, and the audit tells of it",
  async (_, make) => {
    const { path, method = "DELETE", bearer, form, json, action } = await make();
    const before = await entriesOf(action ?? "");
    const body = json === undefined ? {} : { body: JSON.stringify(json) };
    const answer =
      form === undefined
        ? await call(path, { method, ...body }, bearer)
        : await send(path, { method, body: new URLSearchParams(form) });
    serveAgain(); // It gives a restoration up.
    expect([answer.status, await answer.text()]).toEqual([
      expect.toBeOneOf([200, 201, 202, 204]),
      expect.any(String),
    ]);
    expect(await entriesOf(action ?? "")).toBe(before + (action === undefined ? 0 : 1));
  },
);

test("every DELETE of the API is among the endings that work where the database is full", async () => {
  const document = await (
    await api("/openapi.json")
  ).json<{
    paths: Record<string, { delete?: { operationId: string } }>;
  }>();
  const deletions = Object.values(document.paths).flatMap(({ delete: one }) =>
    one === undefined ? [] : [one.operationId],
  );
  expect(deletions.length).toBeGreaterThan(20);
  expect(deletions.filter((id) => !(id in ENDINGS))).toEqual([]);
});

test("writes that add something are refused with 507 where the database is full", async () => {
  const body = JSON.stringify({ driver: "noop", config: {} });
  expect((await call(EXPORTERS, { method: "POST", body })).status).toBe(507);
});

test("people sign in by a link, and get codes for the console, where the database is full", async () => {
  const { id } = await freshPerson("ledger:read");
  const visitor = new PageVisitor(send);
  expect((await signIn(visitor, await secretFor(api, id))).status).toBe(204);
  expect((await askSilently(visitor)).searchParams.has("code")).toBe(true);
});

test("people log in, get tokens, refresh and revoke them where the database is full", async () => {
  const person = await freshPerson("ledger:read");
  const app = await freshApp();
  const visitor = new PageVisitor(send);
  const url = authorizeUrl(app, { scope: "openid offline_access ledger:read" });
  const code = (await logIn(visitor, url, person)).searchParams.get("code") ?? "";
  const ask = async (path: string, form: Record<string, string>) => {
    const body = new URLSearchParams({ client_id: app.id, ...form });
    const answer = await send(`/api/auth/${path}`, { method: "POST", body });
    return { status: answer.status, text: await answer.text() };
  };
  const tokens = async (form: Record<string, string>) => {
    const { status, text } = await ask("oauth/token", form);
    expect([status, text]).toEqual([200, text]);
    return JSON.parse(text) as { access_token: string; refresh_token: string }; // the answer of RFC 6749
  };
  const first = await tokens({
    grant_type: "authorization_code",
    code,
    redirect_uri: app.redirectUri,
    code_verifier: VERIFIER,
  });
  const second = await tokens({
    grant_type: "refresh_token",
    refresh_token: first.refresh_token,
  });
  const read = await send("/api/ledger/v2", {
    headers: { authorization: `Bearer ${second.access_token}` },
  });
  expect(read.status).toBe(200);
  expect(await ask("revoke", { token: second.access_token })).toMatchObject({ status: 200 });
  const form = { client_id: app.id };
  const withoutPasskeys = await visitor.post("/api/auth/passkeys/delete", {});
  expect(locationOf(withoutPasskeys)).toContain("/account");
  const loggedOut = await visitor.post("/api/auth/end_session/confirm", form);
  expect(locationOf(loggedOut)).toContain("/logged-out");
  expect(visitor.cookies.has("florin-session")).toBe(false);
});
