import { describe, expect, test } from "vitest";
import { freshClient, makeClient } from "#test/support/auth/clients.ts";
import { ask } from "#test/support/auth/token-requests.ts";
import { api, bodyOf, token } from "#test/support/platform/api.ts";

const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";

describe("service", () => {
  test("the webhooks API tells its version and health without a token", async () => {
    const info = await api("/api/webhooks/_info", { token: null });
    expect([info.status, await info.text()]).toEqual([200, '{"version":"v2.3.0"}']);
    const health = await api("/api/webhooks/_healthcheck", { token: null });
    expect([health.status, await health.text()]).toEqual([200, ""]);
  });

  test("the webhooks API does not read a single config by its path", async () => {
    const response = await api(`/api/webhooks/configs/${UNKNOWN_ID}`);
    expect(response.status).toBe(405);
    expect(await bodyOf(response)).toMatchObject({ errorCode: "VALIDATION" });
  });

  test.each([
    ["GET", "/configs", "ledger:write"],
    ["POST", "/configs", "webhooks:read"],
    ["PUT", `/configs/${UNKNOWN_ID}`, "webhooks:read"],
    ["DELETE", `/configs/${UNKNOWN_ID}`, "webhooks:read"],
    ["PUT", `/configs/${UNKNOWN_ID}/activate`, "webhooks:read"],
    ["PUT", `/configs/${UNKNOWN_ID}/deactivate`, "webhooks:read"],
    ["PUT", `/configs/${UNKNOWN_ID}/secret/change`, "webhooks:read"],
    ["GET", `/configs/${UNKNOWN_ID}/test`, "ledger:read"],
  ])(
    "the webhooks API refuses %s %s without a token and with the scope %s only",
    async (method, path, scope) => {
      for (const bearer of [null, await token(scope)]) {
        const response = await api(`/api/webhooks${path}`, { method, token: bearer });
        expect(response.status).toBe(401);
        expect(await bodyOf(response)).toMatchObject({ errorCode: "VALIDATION" });
      }
    },
  );

  test("the webhooks API lets the read scope send a test request", async () => {
    const path = `/api/webhooks/configs/${UNKNOWN_ID}/test`;
    expect((await api(path, { token: await token("webhooks:read") })).status).toBe(404);
  });
});

describe("a config of events that a client may not read", () => {
  const CONFIGS = "/api/webhooks/configs";
  const ENDPOINT = "https://hooks.example.com/in";
  const ofLedger = { endpoint: ENDPOINT, eventTypes: ["ledger.committed_transactions"] };
  const configs = async (): Promise<string> => (await api(CONFIGS)).text();

  test("a config of events that a client may not read is neither made nor changed, activated or given another secret by it", async () => {
    const { token: weak } = await freshClient("webhooks:write", "payments:read");
    const { data: known } = await (
      await api(CONFIGS, { body: ofLedger })
    ).json<{ data: { id: string } }>();
    const path = `${CONFIGS}/${known.id}`;
    const before = await configs();
    const evil = { endpoint: "https://evil.example/in" };
    const attempts: [method: string, path: string, body?: object][] = [
      ["POST", CONFIGS, { ...ofLedger, ...evil }],
      ["POST", CONFIGS, { ...evil, eventTypes: ["payments.saved_payment", "Wallets.X"] }],
      ["PUT", path, { ...ofLedger, ...evil }],
      // A change to another event type is refused as well, because the config has waiting deliveries of the first type.
      ["PUT", path, { ...evil, eventTypes: ["payments.saved_payment"] }],
      ["PUT", `${path}/activate`],
      ["PUT", `${path}/secret/change`, {}],
    ];
    for (const [method, of, body] of attempts) {
      const answer = await api(of, { method, token: weak, body });
      expect([method, of, answer.status]).toEqual([method, of, 401]);
      expect(answer.headers.get("www-authenticate")).toContain("insufficient_scope");
    }
    expect(await configs()).toBe(before);
  });

  test("a config of alerts, which hold balances of ledgers and pools, needs the scopes of these", async () => {
    const body = { endpoint: ENDPOINT, eventTypes: ["Reconciliation.Opened_Alert"] };
    for (const scopes of [[], ["ledger:read"], ["payments:read"]]) {
      const { token: weak } = await freshClient("webhooks:write", "reconciliation:read", ...scopes);
      expect((await api(CONFIGS, { token: weak, body })).status).toBe(401);
    }
    const strong = ["webhooks:write", "reconciliation:read", "ledger:read", "payments:read"];
    const { token: able } = await freshClient(...strong);
    expect((await api(CONFIGS, { token: able, body })).status).toBe(200);
  });

  test("a config of events is made by a client that may ask for their scope, whatever its token was asked for", async () => {
    const { id, secret } = await makeClient({ scopes: ["webhooks:write", "ledger:read"] });
    const { access_token: narrow } = await ask({
      grant_type: "client_credentials",
      client_id: id,
      client_secret: secret,
      scope: "webhooks:write",
    });
    expect((await api(CONFIGS, { token: narrow, body: ofLedger })).status).toBe(200);
  });

  test("a client may stop and delete a config of events that it may not read, and events of no module need nothing", async () => {
    const { token: weak } = await freshClient("webhooks:write");
    const body = { endpoint: ENDPOINT, eventTypes: ["nobody.has_such"] };
    expect((await api(CONFIGS, { token: weak, body })).status).toBe(200);
    const { data } = await (
      await api(CONFIGS, { body: ofLedger })
    ).json<{ data: { id: string } }>();
    const path = `${CONFIGS}/${data.id}`;
    expect((await api(`${path}/deactivate`, { method: "PUT", token: weak })).status).toBe(200);
    expect((await api(path, { method: "DELETE", token: weak })).status).toBe(200);
  });
});
