import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { makeClient } from "#test/support/auth/clients.ts";
import { BEARER_GRANT, MEMBERSHIP_ISSUER, STACK } from "#test/support/auth/fctl.ts";
import { ISSUER } from "#test/support/auth/logins.ts";
import { basic, post, type TokenAnswer } from "#test/support/auth/token-requests.ts";
import { api, bodyOf, freshName, send } from "#test/support/platform/api.ts";

vi.spyOn(globalThis, "fetch").mockImplementation(async () => Response.json([]));
// Other test files share the global `fetch`.
afterAll(() => vi.restoreAllMocks());

const MODULES = ["ledger", "payments", "webhooks", "reconciliation"];

/** Logs in as the provider does: at the membership service with a client of this server, then at the stack. */
async function logIn() {
  const { id, secret } = await makeClient({ scopes: MODULES.map((name) => `${name}:write`) });
  const cloud = await send("/.well-known/openid-configuration");
  const form = { grant_type: "client_credentials", scope: "organization:Read", resource: STACK };
  const membership = await post("/oauth/token", form, basic(`organization_${id}`, secret));
  const assertion = await membership.json<TokenAnswer>();
  const stack = await send("/api/auth/.well-known/openid-configuration");
  const exchanged = await post("/oauth/token", {
    grant_type: BEARER_GRANT,
    assertion: assertion.access_token,
    scope: "openid email",
  });
  const tokens = await exchanged.json<TokenAnswer>();
  return { cloud: await cloud.json(), assertion, stack: await stack.json(), tokens };
}

let login: Awaited<ReturnType<typeof logIn>>;
let bearer: string;

beforeAll(async () => {
  login = await logIn();
  bearer = login.tokens.access_token;
});

test("the Terraform provider finds the issuers that it expects, and gets tokens that end", () => {
  expect(login.cloud).toMatchObject({
    issuer: MEMBERSHIP_ISSUER,
    token_endpoint: `${ISSUER}/oauth/token`,
  });
  expect(login.stack).toMatchObject({ issuer: ISSUER });
  expect(login.assertion.expires_in).toBe(3600);
  expect(login.tokens.expires_in).toBeGreaterThan(3500);
});

/** Sends a request of a resource, which the provider does when the module is healthy. */
async function call(
  module: string,
  path: string,
  init: { method?: string; body?: unknown } = {},
): Promise<{ data?: unknown } & Record<string, unknown>> {
  const versions = await send("/versions");
  const known = await versions.json<{ versions: { name: string; health: boolean }[] }>();
  expect(known.versions).toContainEqual(expect.objectContaining({ name: module, health: true }));
  const response = await api(path, { token: bearer, ...init });
  expect([init.method, path, response.status < 300]).toEqual([init.method, path, true]);
  if (response.status === 204 || response.headers.get("content-length") === "0") return {};
  return ((await bodyOf(response.clone()).catch(() => ({}))) ?? {}) as Record<string, unknown>; // an object of JSON
}

const status = async (path: string): Promise<number> => (await api(path, { token: bearer })).status;

test("the Terraform provider makes, changes and deletes a ledger's metadata", async () => {
  const path = `/api/ledger/v2/${freshName("tf")}`;
  await call("ledger", path, { method: "POST", body: { bucket: "", metadata: { stage: "a" } } });
  const metadata = { method: "PUT", body: { stage: "b" } };
  await call("ledger", `${path}/metadata`, metadata);
  expect(await call("ledger", path)).toMatchObject({ data: { metadata: { stage: "b" } } });
  await call("ledger", `${path}/metadata/stage`, { method: "DELETE" });
  const { data } = await call("ledger", path);
  expect(data).not.toHaveProperty("metadata.stage");
});

test("the Terraform provider makes, changes and deletes a webhook", async () => {
  const endpoint = "https://hooks.example.com/in";
  const body = { endpoint, eventTypes: ["ledger.committed_transactions"], name: "Orders" };
  const made = await call("webhooks", "/api/webhooks/configs", { method: "POST", body });
  const { id, secret } = made.data as { id: string; secret: string }; // the schema of the answer
  const path = `/api/webhooks/configs/${id}`;
  const changed = { ...body, secret, eventTypes: ["ledger.saved_metadata"] };
  await call("webhooks", path, { method: "PUT", body: changed });
  const listed = await call("webhooks", `/api/webhooks/configs?id=${id}`);
  expect(listed).toMatchObject({ cursor: { data: [{ eventTypes: ["ledger.saved_metadata"] }] } });
  await call("webhooks", path, { method: "DELETE" });
  const after = await call("webhooks", `/api/webhooks/configs?id=${id}`);
  expect(after).toMatchObject({ cursor: { data: [] } });
});

test("the Terraform provider makes, changes and deletes a connector and a pool", async () => {
  const config = { provider: "Dummypay", directory: "demo", pollingPeriod: "30m" };
  const name = freshName("tf");
  const installed = await call("payments", "/api/payments/v3/connectors/install/dummypay", {
    method: "POST",
    body: { ...config, name },
  });
  const connector = `/api/payments/v3/connectors/${String(installed.data)}`;
  const changed = { ...config, name, pollingPeriod: "1h" };
  await call("payments", `${connector}/config`, { method: "PATCH", body: changed });
  const read = await call("payments", `${connector}/config`);
  expect(read).toMatchObject({ data: { pollingPeriod: "1h0m0s" } });

  const made = await call("payments", "/api/payments/v3/pools", {
    method: "POST",
    body: { name, query: { $match: { default_asset: "EUR/2" } } },
  });
  const pool = `/api/payments/v3/pools/${String(made.data)}`;
  const query = { query: { $match: { type: "INTERNAL" } } };
  await call("payments", `${pool}/query`, { method: "PATCH", body: query });
  expect(await call("payments", pool)).toMatchObject({ data: query });
  const policy = await call("reconciliation", "/api/reconciliation/policies", {
    method: "POST",
    body: { name, ledgerName: "default", ledgerQuery: {}, paymentsPoolID: made.data },
  });
  const { id } = policy.data as { id: string }; // the schema of the answer
  await call("reconciliation", `/api/reconciliation/policies/${id}`);
  await call("reconciliation", `/api/reconciliation/policies/${id}`, { method: "DELETE" });
  await call("payments", pool, { method: "DELETE" });
  await call("payments", connector, { method: "DELETE" });
  expect(await status(pool)).toBe(404);
});
