import { describe, expect, test } from "vitest";
import { freshClient, makeClient } from "#test/support/auth/clients.ts";
import { ask } from "#test/support/auth/token-requests.ts";
import { api, freshName } from "#test/support/platform/api.ts";

const MORE = /may not give scopes that you do not have yourself: ledger:write/;

async function refusalOf(response: Promise<Response>) {
  const answer = await response;
  const { errorCode, errorMessage } = await answer.json<Record<string, string>>();
  return { status: answer.status, errorCode, errorMessage };
}

const refused = { status: 400, errorCode: "VALIDATION" };

describe("auth:write gives nobody more than the one who acts has", () => {
  test("auth:write gives nobody more than the one who acts has, in a client that is made", async () => {
    const actor = await freshClient("auth:write", "ledger:read");
    const make = (scopes: readonly string[]) =>
      api("/api/auth/clients", { token: actor.token, body: { name: "n", scopes } });
    const more = await refusalOf(make(["ledger:read", "ledger:write"]));
    expect(more).toMatchObject({ ...refused, errorMessage: expect.stringMatching(MORE) as string });
    // A scope that no module has belongs to another server, where it may allow everything.
    expect((await make(["auth:read", "elsewhere:write"])).status).toBe(400);
    // A write scope includes the read scope, and every client may have the scopes of OpenID Connect.
    expect((await make(["auth:read", "ledger:read", "openid", "offline_access"])).status).toBe(201);
  });

  test("auth:write gives nobody more than the one who acts has, in a client that is changed, be it the own one", async () => {
    const actor = await freshClient("auth:write", "ledger:read");
    const change = (scopes: readonly string[]) =>
      api(`/api/auth/clients/${actor.id}`, {
        method: "PUT",
        token: actor.token,
        body: { name: "n", scopes },
      });
    const more = await refusalOf(change(["auth:write", "ledger:write"]));
    expect(more).toMatchObject({ ...refused, errorMessage: expect.stringMatching(MORE) as string });
    expect((await change(["auth:write"])).status).toBe(200);
    expect((await change(["auth:write", "ledger:read"])).status).toBe(400);
  });

  test("auth:write gives nobody more than the one who acts has, by a secret of a client that may do more", async () => {
    const actor = await freshClient("auth:write");
    const { id } = await makeClient({ scopes: ["ledger:write"] });
    const path = `/api/auth/clients/${id}/secrets`;
    const more = await refusalOf(api(path, { token: actor.token, body: { name: "mine" } }));
    const stronger = /may do more than you, so that you may not touch it. You lack: ledger:write$/;
    expect(more).toMatchObject({
      ...refused,
      errorMessage: expect.stringMatching(stronger) as string,
    });
    const { data } = await (
      await api(`/api/auth/clients/${id}`)
    ).json<{ data: { secrets: unknown[] } }>();
    expect(data.secrets).toHaveLength(1);
  });

  test("auth:write of a token that is bound to ledgers makes no clients, which are not bound", async () => {
    const { id, secret } = await makeClient({
      scopes: ["auth:write"],
      metadata: { ledgers: "eu-*" },
    });
    const { access_token: token } = await ask({
      grant_type: "client_credentials",
      client_id: id,
      client_secret: secret,
      scope: "auth:write",
    });
    for (const metadata of [{}, { ledgers: "us-1" }, { ledgers: "eu-1" }]) {
      const body = { id: freshName(), name: "n", metadata };
      expect((await api("/api/auth/clients", { token, body })).status).toBe(401);
    }
  });
});
