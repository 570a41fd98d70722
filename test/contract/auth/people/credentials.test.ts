import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { Authenticator } from "#test/support/auth/authenticator.ts";
import { clientWith } from "#test/support/auth/clients.ts";
import { authorizeUrl, freshApp, freshPerson, logIn } from "#test/support/auth/logins.ts";
import { PageVisitor } from "#test/support/auth/pages.ts";
import {
  actingPerson,
  addPasskey,
  ALL_SCOPES,
  auditOf,
  canLogInBy,
  STRONG,
  USERS,
  weakClient,
} from "#test/support/auth/takeover.ts";
import { api } from "#test/support/platform/api.ts";

interface Credential {
  readonly id: string;
}

const listed = async (personId: string, kind: "sessions" | "passkeys"): Promise<Credential[]> => {
  const response = await api(`${USERS}/${personId}/${kind}`);
  expect(response.status).toBe(200);
  return (await response.json<{ data: Credential[] }>()).data;
};

const remove = (call: typeof api, path: string): Promise<Response> =>
  call(`${USERS}/${path}`, { method: "DELETE" });

/** Whether a browser gets a code without a question. */
async function isSignedIn(visitor: PageVisitor): Promise<boolean> {
  const response = await visitor.get(authorizeUrl(await freshApp(), { prompt: "none" }));
  return new URL(response.headers.get("location") ?? "").searchParams.has("code");
}

async function loggedIn(...scopes: readonly string[]) {
  const person = await freshPerson(...scopes);
  const visitor = new PageVisitor();
  await logIn(visitor, authorizeUrl(await freshApp()), person);
  return { person, visitor };
}

describe("sessions of a person", () => {
  test("each browser is a session, and the one that is ended is signed out alone, with an entry in the audit", async () => {
    const { person, visitor } = await loggedIn("ledger:read");
    const [session] = await listed(person.id, "sessions");
    expect(session).toEqual({
      id: expect.stringMatching(/^[\w-]{43}$/) as string,
      authenticatedAt: expect.stringMatching(/^\d{4}-/) as string,
      expiresAt: expect.stringMatching(/^\d{4}-/) as string,
    });
    const other = new PageVisitor();
    await logIn(other, authorizeUrl(await freshApp()), person);
    expect(await listed(person.id, "sessions")).toHaveLength(2);
    const path = `${person.id}/sessions/${session?.id}`;
    expect((await remove(api, path)).status).toBe(204);
    expect([await isSignedIn(visitor), await isSignedIn(other)]).toEqual([false, true]);
    expect((await remove(api, path)).status).toBe(204);
    expect(await auditOf("auth.session.delete", `users/${person.id}`)).toBe(1);
    expect(await listed(person.id, "sessions")).toHaveLength(1);
  });

  test("an expired session is not listed", async () => {
    const { person } = await loggedIn();
    await env.DB.prepare("UPDATE auth_sessions SET expires_at = authenticated_at").run();
    expect(await listed(person.id, "sessions")).toEqual([]);
  });

  test("a session of somebody else is not ended by this person's path", async () => {
    const { person, visitor } = await loggedIn();
    const stranger = await freshPerson();
    const [session] = await listed(person.id, "sessions");
    expect((await remove(api, `${stranger.id}/sessions/${session?.id}`)).status).toBe(204);
    expect(await isSignedIn(visitor)).toBe(true);
    expect(await auditOf("auth.session.delete", `users/${stranger.id}`)).toBe(0);
  });
});

describe("passkeys of a person", () => {
  test("a passkey that is removed logs nobody in, with an entry in the audit", async () => {
    const { person, visitor } = await loggedIn("ledger:read");
    const devices = [new Authenticator(), new Authenticator()] as const;
    for (const device of devices) await addPasskey(visitor, device);
    const known = await listed(person.id, "passkeys");
    expect(known).toHaveLength(2);
    expect(known[0]).toEqual({
      id: expect.any(String) as string,
      uses: expect.any(Number) as number,
    });
    for (const { id } of known) {
      expect((await remove(api, `${person.id}/passkeys/${id}`)).status).toBe(204);
    }
    expect(await listed(person.id, "passkeys")).toEqual([]);
    expect([await canLogInBy(devices[0]), await canLogInBy(devices[1])]).toEqual([false, false]);
    expect((await remove(api, `${person.id}/passkeys/${known[0]?.id}`)).status).toBe(204);
    expect(await auditOf("auth.passkey.delete", `users/${person.id}`)).toBe(2);
  });

  test("the only way in of the last administrator stays", async () => {
    await env.DB.prepare("DELETE FROM auth_people").run();
    const ada = await freshPerson(...ALL_SCOPES);
    const { call, visitor } = await actingPerson(ada);
    await addPasskey(visitor, new Authenticator());
    await env.DB.prepare("UPDATE auth_people SET password = NULL").run();
    const [passkey] = await listed(ada.id, "passkeys");
    const path = `${ada.id}/passkeys/${passkey?.id}`;
    const refused = await remove(call, path);
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining(`the only way in of the user '${ada.id}'`),
    ]);
    await addPasskey(visitor, new Authenticator());
    expect((await remove(call, path)).status).toBe(204);
    const [last] = await listed(ada.id, "passkeys");
    expect((await remove(api, `${ada.id}/passkeys/${last?.id}`)).status).toBe(204);
  });
});

describe("who may see and end them", () => {
  const PATHS = ["sessions/x", "passkeys/x"] as const;

  test("an unknown person has none", async () => {
    for (const kind of ["sessions", "passkeys"]) {
      const response = await api(`${USERS}/nobody/${kind}`);
      expect([response.status, await response.text()]).toEqual([
        404,
        expect.stringContaining("there is no user 'nobody'"),
      ]);
      expect((await remove(api, `nobody/${kind}/x`)).status).toBe(404);
    }
  });

  test("whoever may do less than the person ends neither", async () => {
    const { person, visitor } = await loggedIn(...STRONG);
    await addPasskey(visitor, new Authenticator());
    const { call } = await weakClient();
    for (const kind of ["sessions", "passkeys"] as const) {
      const [credential] = await listed(person.id, kind);
      const refused = await remove(call, `${person.id}/${kind}/${credential?.id}`);
      expect([refused.status, await refused.text()]).toEqual([
        400,
        expect.stringContaining("You lack: ledger:write, payments:write"),
      ]);
      expect(await listed(person.id, kind)).toHaveLength(1);
    }
    expect(await isSignedIn(visitor)).toBe(true);
  });

  test("a token without the scope, or bound to ledgers, is refused", async () => {
    const { person } = await loggedIn();
    const reader = await clientWith({ scopes: ["auth:read"] });
    const bound = await clientWith({ scopes: ["auth:write"], metadata: { ledgers: "eu-*" } });
    for (const path of PATHS) {
      const [kind] = path.split("/");
      const list = `${USERS}/${person.id}/${kind}`;
      expect((await api(list, { token: reader.token })).status).toBe(200);
      for (const { token } of [reader, bound]) {
        const ended = await api(`${USERS}/${person.id}/${path}`, { method: "DELETE", token });
        expect(ended.status).toBe(401);
      }
      expect((await api(list, { token: bound.token })).status).toBe(401);
      expect((await api(list, { token: null })).status).toBe(401);
    }
  });
});
