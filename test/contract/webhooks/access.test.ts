import { describe, expect, test } from "vitest";
import { api, bodyOf, token } from "#test/support/platform/api.ts";

const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";

describe("service", () => {
  test("tells its version and health without a token", async () => {
    const info = await api("/api/webhooks/_info", { token: null });
    expect([info.status, await info.text()]).toEqual([200, '{"version":"v2.3.0"}']);
    const health = await api("/api/webhooks/_healthcheck", { token: null });
    expect([health.status, await health.text()]).toEqual([200, ""]);
  });

  test("does not read a single config by its path", async () => {
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
  ])("refuses %s %s without a token and with the scope %s only", async (method, path, scope) => {
    for (const bearer of [null, await token(scope)]) {
      const response = await api(`/api/webhooks${path}`, { method, token: bearer });
      expect(response.status).toBe(401);
      expect(await bodyOf(response)).toMatchObject({ errorCode: "VALIDATION" });
    }
  });

  test("lets the read scope send a test request", async () => {
    const path = `/api/webhooks/configs/${UNKNOWN_ID}/test`;
    expect((await api(path, { token: await token("webhooks:read") })).status).toBe(404);
  });
});
