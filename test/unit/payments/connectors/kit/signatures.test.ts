import { generateKeyPairSync, sign } from "node:crypto";
import { describe, expect, test } from "vitest";
import {
  basicAuth,
  hmacSha256,
  isRecent,
  isRsaSigned,
  isSameText,
  isSignedBy,
  parseBasicAuth,
  parseTimedSignature,
  sha256,
} from "#modules/payments/connectors/kit/signatures.ts";
import { fromMillis } from "#platform/time.ts";

describe("a signature", () => {
  test("a signature is compared as a whole", () => {
    expect(isSameText("abc", "abc")).toBe(true);
    expect(isSameText("abc", "abd")).toBe(false);
    expect(isSameText("abc", "abcd")).toBe(false);
  });

  test("a signature is an HMAC with SHA-256", () => {
    // Test case 2 of RFC 4231.
    const hmac = { key: "Jefe", text: "what do ya want for nothing?", encoding: "hex" } as const;
    const expected = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
    expect(hmacSha256(hmac)).toBe(expected);
    expect(isSignedBy(hmac, ["wrong", expected])).toBe(true);
    expect(isSignedBy(hmac, ["wrong"])).toBe(false);
    expect(isSignedBy(hmac, [])).toBe(false);
    expect(sha256("", "hex").slice(0, 8)).toBe("e3b0c442");
  });

  test("a signature comes with its time, and perhaps with other signatures", () => {
    expect(parseTimedSignature("t=12,v1=a=,v0=b, v1=c")).toEqual({
      time: "12",
      signatures: ["a=", "c"],
    });
    expect(parseTimedSignature("v1=a")).toBeUndefined();
    expect(parseTimedSignature(undefined)).toBeUndefined();
  });

  test("a signature is too old, or of the future, outside of a tolerance", () => {
    const isNear = (ms: number) => isRecent(fromMillis(ms), fromMillis(1_000_000));
    expect([700_000, 1_300_000].map(isNear)).toEqual([true, true]);
    expect([699_999, 1_300_001].map(isNear)).toEqual([false, false]);
  });

  test("fits a public key", () => {
    const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const pem = publicKey.export({ type: "spki", format: "pem" }).toString();
    const signature = sign("sha256", Buffer.from("text"), privateKey).toString("base64");
    expect(isRsaSigned(pem, { text: "text", signature })).toBe(true);
    expect(isRsaSigned(pem, { text: "other", signature })).toBe(false);
    expect(isRsaSigned(pem, { text: "text", signature: "" })).toBe(false);
    expect(isRsaSigned("no key", { text: "text", signature })).toBe(false);
  });
});

test("Basic authentication reads what it writes, and nothing else", () => {
  expect(parseBasicAuth(basicAuth("user", "p:ss"))).toEqual({ username: "user", password: "p:ss" });
  for (const header of [undefined, "", "Bearer abc", `Basic ${btoa("user")}`]) {
    expect(parseBasicAuth(header)).toBeUndefined();
  }
});
