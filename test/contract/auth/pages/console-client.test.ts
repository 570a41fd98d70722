import { env } from "cloudflare:workers";
import { decodeJwt } from "jose";
import { describe, expect, test } from "vitest";
import { currentPrincipal } from "#modules/auth/index.ts";
import { authClients } from "#modules/auth/tables.ts";
import { databaseOf } from "#platform/db/database.ts";
import {
  askSilently,
  CONSOLE,
  freshOperator,
  signedIn,
  signInSilently,
} from "#test/support/auth/console.ts";
import { authorizeUrl, freshPerson, ISSUER, logIn, VERIFIER } from "#test/support/auth/logins.ts";
import { PageVisitor } from "#test/support/auth/pages.ts";
import { CLIENTS, USERS } from "#test/support/auth/takeover.ts";
import { ask } from "#test/support/auth/token-requests.ts";
import { ALL_SCOPES, api, BASE_URL, freshName } from "#test/support/platform/api.ts";
import { isolate } from "#test/support/runner/isolate.ts";

const redeem = (code: string, fields: Readonly<Record<string, string>> = {}) =>
  ask({
    grant_type: "authorization_code",
    client_id: CONSOLE.id,
    code,
    redirect_uri: CONSOLE.redirectUri,
    code_verifier: VERIFIER,
    ...fields,
  });

describe("the console", () => {
  test("the console gets tokens without showing anything, with the scopes of the person", async () => {
    const { id } = await freshOperator("ledger:write", "auth:read");
    const visitor = await signedIn(id);
    const back = await askSilently(visitor);
    expect(back.origin + back.pathname).toBe(CONSOLE.redirectUri);
    expect(Object.fromEntries(back.searchParams)).toEqual({
      code: expect.stringMatching(/^[\w-]{43}$/) as string,
      state: "the-state",
      iss: ISSUER,
    });
    const tokens = await redeem(back.searchParams.get("code") ?? "");
    expect(tokens).toMatchObject({ status: 200, expires_in: 300, token_type: "Bearer" });
    expect(tokens.refresh_token).toBeUndefined();
    expect(new Set(tokens.scope?.split(" "))).toEqual(
      new Set(["openid", "ledger:read", "ledger:write", "auth:read"]),
    );
    expect(decodeJwt(tokens.access_token)).toMatchObject({
      sub: id,
      client_id: CONSOLE.id,
      aud: [CONSOLE.id, BASE_URL],
    });
    expect((await api("/api/ledger/v2", { token: tokens.access_token })).status).toBe(200);
    expect((await api("/api/webhooks/configs", { token: tokens.access_token })).status).toBe(401);
  });

  test("the console gets new tokens in many tabs at once", async () => {
    const visitor = await signedIn((await freshOperator("ledger:read")).id);
    const tabs = await Promise.all(Array.from({ length: 12 }, () => signInSilently(visitor)));
    expect(tabs.map(({ status }) => status)).toEqual(tabs.map(() => 200));
    expect(new Set(tabs.map((tokens) => tokens.access_token)).size).toBe(12);
  });

  test("the console learns that nobody is logged in, and sends the person to the login page", async () => {
    const visitor = new PageVisitor();
    const back = await askSilently(visitor);
    expect(back.origin + back.pathname).toBe(CONSOLE.redirectUri);
    expect(Object.fromEntries(back.searchParams)).toMatchObject({
      error: "login_required",
      state: "the-state",
      iss: ISSUER,
    });
    expect(visitor.cookies.size).toBe(0);
    const ada = await freshPerson("ledger:read");
    const done = await logIn(visitor, authorizeUrl(CONSOLE), ada);
    expect((await redeem(done.searchParams.get("code") ?? "")).status).toBe(200);
  });

  test("the console ends the session and comes back", async () => {
    const visitor = await signedIn((await freshOperator()).id);
    const { id_token: hint = "" } = await signInSilently(visitor);
    const leave = (uri: string) =>
      visitor.get(
        `/api/auth/end_session?${new URLSearchParams({ id_token_hint: hint, post_logout_redirect_uri: uri }).toString()}`,
      );
    expect((await leave(`${BASE_URL}/console/x`)).status).toBe(400);
    const left = await leave(`${BASE_URL}/console`);
    expect([left.status, left.headers.get("location")]).toEqual([302, `${BASE_URL}/console`]);
    expect(visitor.cookies.has("florin-session")).toBe(false);
    expect((await askSilently(visitor)).searchParams.get("error")).toBe("login_required");
  });

  test("the console is at the host of the request on loopback, and at the public URL only where there is one", async () => {
    const statuses = async (send: ReturnType<typeof isolate>, host: string) =>
      Promise.all(
        [
          "http://localhost:8787/console/callback",
          "http://127.0.0.1:8787/console/callback",
          "http://localhost:8788/console/callback",
          "https://pay.example.com/florin/console/callback",
          "http://localhost:8787/console/callback/",
          "http://localhost:8787/console/callback?x=1",
          "http://localhost:8787/console",
          "http://localhost:8787//evil.example/console/callback",
        ].map(async (redirectUri) => {
          const path = authorizeUrl({ ...CONSOLE, redirectUri }, { prompt: "none" });
          return (await send(host + path, { redirect: "manual" })).status;
        }),
      );
    const local = isolate();
    expect(await statuses(local, "http://localhost:8787")).toEqual([302, ...other(7)]);
    expect(await statuses(local, "http://127.0.0.1:8787")).toEqual([400, 302, ...other(6)]);
    expect(await statuses(local, "http://localhost:8788")).toEqual([400, 400, 302, ...other(5)]);
    const open = isolate({ FLORIN_PUBLIC_URL: "https://pay.example.com/florin" });
    for (const host of ["https://pay.example.com", "http://localhost:8787"]) {
      expect(await statuses(open, host)).toEqual([400, 400, 400, 302, ...other(4)]);
    }
  });

  const other = (count: number): number[] => Array.from({ length: count }, () => 400);

  test("the console gets no code without PKCE, and no token without the verifier or by a secret", async () => {
    const visitor = await signedIn((await freshOperator()).id);
    const without = { code_challenge: undefined, code_challenge_method: undefined };
    expect((await askSilently(visitor, without)).searchParams.get("error")).toBe("invalid_request");
    const code = (await askSilently(visitor)).searchParams.get("code") ?? "";
    expect(await redeem(code, { code_verifier: "x".repeat(43) })).toMatchObject({
      status: 400,
      error: "invalid_grant",
    });
    expect((await redeem(code, { client_secret: "guessed" })).status).toBe(401);
    const own = await ask({ grant_type: "client_credentials", client_id: CONSOLE.id, scope: "x" });
    expect(own.error).toBe("invalid_client");
  });
});

describe("the console's own client", () => {
  test("the console's own client is neither listed, made, changed nor deleted", async () => {
    const { data } = await (await api(CLIENTS)).json<{ data: { id: string }[] }>();
    expect(data.map(({ id }) => id)).not.toContain(CONSOLE.id);
    const path = `${CLIENTS}/${CONSOLE.id}`;
    const body = { name: "mine", redirectUris: ["https://evil.example/callback"] };
    const answers = await Promise.all([
      api(path),
      api(CLIENTS, { body: { id: CONSOLE.id, ...body } }),
      api(path, { method: "PUT", body }),
      api(path, { method: "DELETE" }),
      api(`${path}/secrets`, { body: { name: "mine" } }),
      api(`${path}/secrets/x`, { method: "DELETE" }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([404, 409, 400, 400, 400, 404]);
    expect(await answers[3]?.text()).toContain("it is built in and cannot be changed or deleted");
  });

  test("the console's own client gives nobody more than the person has", async () => {
    const { id } = await freshOperator("auth:write", "ledger:read");
    const { access_token: token } = await signInSilently(await signedIn(id));
    const make = (scopes: readonly string[]) =>
      api(CLIENTS, { token, body: { id: freshName("made"), name: "n", scopes } });
    expect((await make(["ledger:read"])).status).toBe(201);
    expect((await make(["ledger:write"])).status).toBe(400);
    const admin = await freshOperator(...ALL_SCOPES);
    const link = { token, body: { personId: admin.id } };
    expect((await api("/api/florin/v1/sign-in-links", link)).status).toBe(400);
    const full = await signInSilently(await signedIn(admin.id));
    const given = { method: "PUT", token: full.access_token, body: { scopes: ["wallets:read"] } };
    expect((await api(`${USERS}/${id}`, given)).status).toBe(200);
    expect((await make([])).status).toBe(401);
  });

  test("the console's own client acts for people later, and for nobody else", async () => {
    const { id } = await freshOperator("ledger:read");
    const stored = {
      issuer: ISSUER,
      subject: id,
      clientId: CONSOLE.id,
      scopes: new Set(["ledger:read", "ledger:write"]),
      ledgers: [],
    };
    const person = await currentPrincipal({ env }, { ...stored, isPerson: true });
    expect([...(person?.scopes ?? [])]).toEqual(["ledger:read"]);
    expect(await currentPrincipal({ env }, { ...stored, subject: CONSOLE.id })).toBeUndefined();
  });

  test("the console's own client is not one that an earlier release has stored under its id, which can be deleted", async () => {
    const list = JSON.stringify(["https://evil.example/callback"]);
    await databaseOf(env).insert(authClients).values({
      id: CONSOLE.id,
      name: "old",
      description: "",
      public: false,
      trusted: true,
      redirectUris: list,
      postLogoutRedirectUris: list,
      scopes: "[]",
      metadata: "{}",
    });
    const visitor = await signedIn((await freshOperator()).id);
    const redirectUri = "https://evil.example/callback";
    const stolen = await visitor.get(authorizeUrl({ ...CONSOLE, redirectUri }));
    expect(stolen.status).toBe(400);
    const path = `${CLIENTS}/${CONSOLE.id}`;
    expect((await api(path, { method: "PUT", body: {} })).status).toBe(400);
    expect((await api(`${path}/secrets`, { body: { name: "s" } })).status).toBe(400);
    expect((await api(path, { method: "DELETE" })).status).toBe(204);
    expect((await api(path, { method: "DELETE" })).status).toBe(400);
    expect((await signInSilently(visitor)).status).toBe(200);
  });

  test("the console's own client has an id that the first client may not have", async () => {
    const local = isolate({ FLORIN_CLIENT_ID: CONSOLE.id });
    expect((await local("/versions")).status).toBe(500);
  });
});
