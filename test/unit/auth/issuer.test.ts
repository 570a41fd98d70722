import { describe, expect, test } from "vitest";
import { isSameIssuer } from "#modules/auth/core/issuer-url.ts";
import { issuerOf } from "#modules/auth/verification/issuer.ts";

describe("our issuer", () => {
  test("our issuer is below the public URL, whatever the request says", () => {
    const publicUrl = "https://pay.example.com/florin";
    expect(issuerOf(publicUrl, "http://evil.example/x")).toBe(`${publicUrl}/api/auth`);
  });

  test("our issuer is the origin of the request on loopback", () => {
    expect(issuerOf(undefined, "http://127.0.0.1:8787/api/ledger/v2?a=b")).toBe(
      "http://127.0.0.1:8787/api/auth",
    );
  });

  test.each(["https://pay.example.com/", "http://127.example.com/", "http://10.0.0.1/"])(
    "our issuer is not derived from %s",
    (url) => {
      expect(() => issuerOf(undefined, url)).toThrow("FLORIN_PUBLIC_URL is not set");
    },
  );
});

describe("issuers", () => {
  const own = "http://localhost:8787/api/auth";

  test("issuers on loopback are the same under each name of the host", () => {
    const others = ["http://localhost:8787", "http://127.0.0.1:8787", "http://[::1]:8787"];
    for (const other of others) {
      expect(isSameIssuer(own, `${other}/api/auth`)).toBe(true);
      expect(isSameIssuer(`${other}/api/auth`, own)).toBe(true);
    }
  });

  test.each([
    "http://localhost:8788/api/auth",
    "https://localhost:8787/api/auth",
    "http://localhost:8787/api/auth/",
    "http://localhost:8787",
    "HTTP://localhost:8787/api/auth",
    "http://127.0.0.1.example.com:8787/api/auth",
    "http://127.0.0.1@localhost:8787/api/auth",
    "",
  ])("issuers are compared exactly otherwise: %s is another", (other) => {
    expect(isSameIssuer(own, other)).toBe(false);
  });
});
