import { expect, test } from "vitest";
import { api, send } from "#test/support/platform/api.ts";
import { isolate } from "#test/support/platform/isolate.ts";

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
  expect((await server("/versions")).status).toBe(200);
  const response = await server("/versions", { cf: { colo: "made up" } });
  expect(response.status).toBe(400);
  expect(await response.text()).toContain("this way into the server is closed");
});
