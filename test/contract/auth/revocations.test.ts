import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { REFRESH_MS } from "#modules/auth/revocations/revocation-list.ts";
import { clientWith } from "#test/support/auth/clients.ts";
import {
  codeFor,
  freshPersonClient,
  REDIRECT_URI,
  VERIFIER,
} from "#test/support/auth/person-clients.ts";
import { ask, post } from "#test/support/auth/token-requests.ts";
import { api, send } from "#test/support/platform/api.ts";
import { isolate, type Send } from "#test/support/runner/isolate.ts";

/** Time passes only when a test lets it pass, so that the tests do not depend on the machine's speed. */
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: Date.now() }));
afterEach(() => void vi.useRealTimers());

const pass = (ms: number): void => void vi.setSystemTime(Date.now() + ms);

/** The status with which an isolate answers a request with a token. */
const statusAt = async (at: Send, token: string): Promise<number> => {
  const headers = { authorization: `Bearer ${token}` };
  const response = await at("/api/ledger/v2", { headers });
  await response.body?.cancel();
  return response.status;
};

/** A token that acts for a person, and a call that ends it. */
async function personToken() {
  const client = await freshPersonClient();
  const answer = await ask({
    grant_type: "authorization_code",
    code: await codeFor(client),
    redirect_uri: REDIRECT_URI,
    code_verifier: VERIFIER,
    ...client.credentials,
  });
  return { client, token: answer.access_token, refreshToken: answer.refresh_token ?? "" };
}

/** The ways to end tokens, each with a token that it ends. */
const ENDINGS: Readonly<
  Record<string, () => Promise<{ token: string; end: () => Promise<Response> }>>
> = {
  "a client that is deleted": async () => {
    const { id, token } = await clientWith({ scopes: ["ledger:read"] });
    return { token, end: () => api(`/api/auth/clients/${id}`, { method: "DELETE" }) };
  },
  "a person who is deleted": async () => {
    const { client, token } = await personToken();
    const path = `/api/florin/v1/users/${client.person}`;
    return { token, end: () => api(path, { method: "DELETE" }) };
  },
  "a refresh token that is revoked": async () => {
    const { client, token, refreshToken } = await personToken();
    return { token, end: () => post("/revoke", { token: refreshToken, ...client.credentials }) };
  },
  "a refresh token that is used twice": async () => {
    const { client, token, refreshToken } = await personToken();
    const form = { grant_type: "refresh_token", refresh_token: refreshToken };
    await ask({ ...form, ...client.credentials });
    return { token, end: () => post("/oauth/token", { ...form, ...client.credentials }) };
  },
  "an access token that is revoked": async () => {
    const { client, token } = await personToken();
    return { token, end: () => post("/revoke", { token, ...client.credentials }) };
  },
};

describe("an isolate that has accepted a token", () => {
  test.each(Object.entries(ENDINGS))(
    `an isolate that has accepted a token refuses it ${REFRESH_MS / 1000} seconds later at most, after %s`,
    async (_what, make) => {
      const { token, end } = await make();
      const stale = isolate();
      expect(await statusAt(stale, token)).toBe(200);
      await (await end()).body?.cancel();
      // The isolate has just read the list of revocations, and does not read it again until it is old.
      expect(await statusAt(stale, token)).toBe(200);
      pass(REFRESH_MS - 1);
      expect(await statusAt(stale, token)).toBe(200);
      pass(1);
      expect(await statusAt(stale, token)).toBe(401);
      // A new isolate reads the list of revocations before its first answer.
      expect(await statusAt(isolate(), token)).toBe(401);
    },
  );

  test("an isolate that has accepted a token goes on with the tokens of others", async () => {
    const { id, token } = await clientWith({ scopes: ["ledger:read"] });
    const other = await clientWith({ scopes: ["ledger:read"] });
    const stale = isolate();
    expect(await statusAt(stale, other.token)).toBe(200);
    await api(`/api/auth/clients/${id}`, { method: "DELETE" });
    pass(REFRESH_MS);
    expect(await statusAt(stale, token)).toBe(401);
    expect(await statusAt(stale, other.token)).toBe(200);
  });

  test("an isolate that has accepted a token refuses it as soon after the clock was set back", async () => {
    const { id, token } = await clientWith({ scopes: ["ledger:read"] });
    const other = await clientWith({ scopes: ["ledger:read"] });
    const stale = isolate();
    for (const text of [token, other.token]) expect(await statusAt(stale, text)).toBe(200);
    await api(`/api/auth/clients/${id}`, { method: "DELETE" });
    pass(-REFRESH_MS);
    expect(await statusAt(stale, token)).toBe(401);
    expect(await statusAt(stale, other.token)).toBe(200);
  });
});

test("a client that is made again under the id of a deleted one gets tokens that are good", async () => {
  const { id, token: before } = await clientWith({ scopes: ["ledger:read"] });
  await api(`/api/auth/clients/${id}`, { method: "DELETE" });
  pass(1000);
  await api("/api/auth/clients", { body: { id, scopes: ["ledger:read"] } });
  const made = await api(`/api/auth/clients/${id}/secrets`, { body: { name: "again" } });
  const { data } = await made.json<{ data: { clear: string } }>();
  const form = { grant_type: "client_credentials", client_id: id, client_secret: data.clear };
  const { access_token: after } = await ask({ ...form, scope: "ledger:read" });
  const fresh = isolate();
  expect(await statusAt(fresh, before)).toBe(401);
  expect(await statusAt(fresh, after)).toBe(200);
  expect(await statusAt(send, after)).toBe(200);
});
