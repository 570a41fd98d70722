import { env } from "cloudflare:workers";
import { decodeJwt, SignJWT } from "jose";
import { describe, expect, test } from "vitest";
import { SigningKeys } from "#modules/auth/keys/signing-keys.ts";
import type { ErrorBody } from "#platform/errors.ts";
import { BASE_URL } from "#test/support/platform/api.ts";
import { TEST_SETTINGS } from "#test/support/platform/settings.ts";
import { isolate } from "#test/support/runner/isolate.ts";

describe("the issuer", () => {
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: TEST_SETTINGS.FLORIN_CLIENT_ID,
    client_secret: TEST_SETTINGS.FLORIN_CLIENT_SECRET,
    scope: "auth:read",
  });
  const issue = async (through: string, local = isolate(), headers = {}): Promise<string> => {
    const url = `${through}/api/auth/oauth/token`;
    const response = await local(url, { method: "POST", body: form, headers });
    return (await response.json<{ access_token: string }>()).access_token;
  };
  const use = async (text: string, through: string, local = isolate()): Promise<number> => {
    const headers = { authorization: `Bearer ${text}` };
    return (await local(`${through}/api/auth/clients`, { headers })).status;
  };

  test("the issuer of tokens is the origin of the request on loopback, where all names are the same issuer", async () => {
    const origins = ["http://localhost:8787", "http://127.0.0.1:8787", "http://[::1]:8787"];
    for (const through of origins) {
      const text = await issue(through);
      expect(decodeJwt(text).iss).toBe(`${through}/api/auth`);
      for (const other of origins) expect(await use(text, other)).toBe(200);
      expect(await use(text, "http://localhost:9999")).toBe(401);
    }
  });

  test("the issuer of tokens is never taken from a forwarded header", async () => {
    const headers = { "x-forwarded-host": "evil.example", forwarded: "host=evil.example" };
    const text = await issue("http://localhost:8787", isolate(), headers);
    expect(decodeJwt(text).iss).toBe("http://localhost:8787/api/auth");
  });

  test("the issuer of tokens is FLORIN_PUBLIC_URL where that is set, whatever the host", async () => {
    const local = isolate({ FLORIN_PUBLIC_URL: "https://pay.example.com/florin/" });
    const text = await issue("https://elsewhere.example", local);
    expect(decodeJwt(text).iss).toBe("https://pay.example.com/florin/api/auth");
    expect(await use(text, "http://localhost:8787", local)).toBe(200);
    expect(await use(text, "http://localhost:8787")).toBe(401);
    const found = await local("http://localhost:8787/api/auth/.well-known/openid-configuration");
    expect(await found.json()).toMatchObject({
      token_endpoint: "https://pay.example.com/florin/api/auth/oauth/token",
    });
  });

  test("the issuer of tokens has to be set outside a loopback host", async () => {
    const local = isolate();
    for (const host of [
      "https://pay.example.com",
      "http://127.example.com",
      "http://localhost.example.com",
    ]) {
      const found = await local(`${host}/api/auth/.well-known/openid-configuration`);
      expect(found.status).toBe(400);
      const { errorCode, errorMessage } = await found.json<ErrorBody>();
      expect(errorCode).toBe("VALIDATION");
      expect(errorMessage).toContain("FLORIN_PUBLIC_URL is not set");
      const issued = await local(`${host}/api/auth/oauth/token`, { method: "POST", body: form });
      expect(await issued.text()).toMatch(/"invalid_request".*FLORIN_PUBLIC_URL is not set/);
      expect(await use(await issue("http://localhost:8787"), host)).toBe(400);
    }
  });
});

describe("settings", () => {
  test("settings can name other issuers whose tokens are good, as long as their keys can be fetched", async () => {
    const iss = "https://issuer.internal";
    const local = isolate({ FLORIN_TRUSTED_ISSUERS: iss, FLORIN_ALLOW_PRIVATE_HOSTS: "false" });
    const { kid, privateKey } = await SigningKeys.from(env).current();
    const text = await new SignJWT({ iss, exp: 4_000_000_000, scope: "auth:read" })
      .setProtectedHeader({ alg: "RS256", kid })
      .sign(privateKey);
    const headers = { authorization: `Bearer ${text}` };
    const response = await local("/api/auth/clients", { headers });
    expect(response.status).toBe(401);
    const { errorMessage } = await response.json<ErrorBody>();
    expect(errorMessage).toContain("keys of the token's issuer cannot be loaded now");
  });

  test("settings can turn authentication off for a loopback host", async () => {
    const local = isolate({ FLORIN_AUTH: "off" });
    expect((await local("/api/auth/clients")).status).toBe(200);
    const headers = { authorization: "Bearer nonsense" };
    expect((await local("/api/auth/clients", { headers })).status).toBe(200);
    expect((await local("http://example.com/api/auth/clients")).status).toBe(401);
  });

  test("settings that turn authentication off keep the pages of other origins out, and secrets to themselves", async () => {
    const local = isolate({ FLORIN_AUTH: "off" });
    const call = (headers: Record<string, string>, method = "GET") =>
      local("/api/webhooks/configs", { method, headers });
    const foreign: Record<string, string>[] = [
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: "http://localhost:9999" },
      { origin: `${BASE_URL}.evil.example` },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
    ];
    for (const headers of foreign) {
      for (const method of ["GET", "POST", "OPTIONS"]) {
        const response = await call(headers, method);
        expect([headers, method, response.status]).toEqual([headers, method, 401]);
        expect(response.headers.get("access-control-allow-origin")).toBeNull();
      }
    }
    const own: Record<string, string>[] = [
      {},
      { origin: BASE_URL, "sec-fetch-site": "same-origin" },
      { "sec-fetch-site": "none" },
    ];
    for (const headers of own) {
      const response = await call(headers);
      expect([headers, response.status]).toEqual([headers, 200]);
      expect(response.headers.get("access-control-allow-origin")).toBeNull();
    }
    const body = JSON.stringify({ endpoint: "https://example.com/h", eventTypes: ["x.y"] });
    const made = await local("/api/webhooks/configs", { method: "POST", body });
    const { data } = await made.json<{ data: { secret: string } }>();
    expect(data.secret).toMatch(/^[\w+/]{32}$/);
    const list = await (await call({})).text();
    expect(list).toContain('"secret":"********"');
    expect(list).not.toContain(data.secret);
  });
});
