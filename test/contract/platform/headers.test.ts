import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { createApp } from "#src/app.ts";
import { api, BASE_URL, send } from "#test/support/platform/api.ts";
import { isolate } from "#test/support/runner/isolate.ts";

const POLICY = "default-src 'none'; frame-ancestors 'none'";

test.each([
  ["an answer", "/versions", 200],
  ["a list", "/api/ledger/v2", 200],
  ["an error", "/api/ledger/v2/nothing-here", 404],
  ["an unknown path", "/nothing", 404],
  ["a broken URL", "/api/ledger/v2/%00", 400],
  ["a way on", "/", 302],
])("browsers can make nothing of %s", async (_what, path, status) => {
  const { status: got, headers } = await api(path);
  expect([got, headers.get("content-security-policy")]).toEqual([status, POLICY]);
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("referrer-policy")).toBe("no-referrer");
});

test("the page of the API has a policy of its own, which allows no other site and no frame", async () => {
  const { headers } = await send("/docs");
  const policy = headers.get("content-security-policy") ?? "";
  expect(policy).toMatch(/default-src 'none'; script-src 'self' 'sha256-[\w+/]{43}=';/);
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/https?:|script-src[^;]*unsafe|\*/);
  expect(headers.get("x-content-type-options")).toBe("nosniff");
});

test("a server with a socket of its own takes nothing that came another way", async () => {
  const server = isolate({ FLORIN_DIRECT: "true" });
  expect((await server("/versions", { cf: { clientIp: "127.0.0.1:4711" } })).status).toBe(200);
  for (const cf of [undefined, { colo: "made up" }, { clientIp: "127.0.0.1:4711", colo: "X" }]) {
    const response = await server("/versions", cf === undefined ? {} : { cf });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("this way into the server is closed");
  }
});

test.each([
  ["of pages", { FLORIN_MAX_PAGE_SIZE: "many" }, "*"],
  ["of authentication", { FLORIN_AUTH: "perhaps" }, null],
])("wrong settings %s are answered as any failure", async (_what, wrong, origin) => {
  const server = isolate({ FLORIN_LOCAL: "false", ...wrong });
  const fromEdge = { headers: { "cf-ray": "8f1e2d3c4b5a6978" }, cf: {} };
  const response = await server("/versions", fromEdge);
  expect(response.status).toBe(500);
  expect(await response.json()).toMatchObject({ errorCode: "INTERNAL" });
  expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]+$/);
  expect(response.headers.get("content-security-policy")).toBe(POLICY);
  expect(response.headers.get("access-control-allow-origin")).toBe(origin);
});

const PREFLIGHT = {
  method: "OPTIONS",
  headers: { origin: "https://example.com", "access-control-request-method": "GET" },
};

interface Refusal {
  readonly path?: string;
  readonly settings?: Readonly<Record<string, string>>;
  readonly init?: RequestInit;
}

test.each<[string, Refusal]>([
  ["a broken URL", { path: "/api/ledger/v2/%zz" }],
  ["a way in that is closed", { settings: { FLORIN_DIRECT: "true" }, init: { cf: {} } }],
  ["wrong settings", { settings: { FLORIN_MAX_PAGE_SIZE: "many" } }],
])("pages may read why they are refused for %s", async (_what, refusal) => {
  const { path = "/versions", settings, init } = refusal;
  const server = isolate(settings);
  const asked = await server(path, { ...PREFLIGHT, ...init });
  expect([asked.status, asked.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
  expect(asked.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  const refused = await server(path, init);
  expect(refused.status).toBeGreaterThanOrEqual(400);
  expect(refused.headers.get("access-control-allow-origin")).toBe("*");
});

test("a thrown value of any kind is answered as an error, and logged", async () => {
  const logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const ASSETS = { fetch: () => Promise.reject("no files") };
  const response = await createApp().fetch(new Request(`${BASE_URL}/docs/assets/scalar.js`), {
    ...env,
    ASSETS,
  });
  expect(response.status).toBe(500);
  expect(await response.json()).toMatchObject({ errorCode: "INTERNAL" });
  expect(logged.mock.calls.flat().join()).toContain("no files");
});
