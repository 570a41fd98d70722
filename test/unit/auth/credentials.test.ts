import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseBasic, usesBasic } from "#modules/auth/tokens/credentials.ts";

const encode = (text: string): string => `Basic ${Buffer.from(text).toString("base64")}`;

describe("Basic credentials", () => {
  test("Basic credentials are decoded from base64, then from percent and plus", () => {
    expect(parseBasic(encode("my+client:a%3Ab%2Bc"))).toEqual({
      clientId: "my client",
      clientSecret: "a:b+c",
      secretAsSent: "a%3Ab%2Bc",
    });
  });

  test("a secret that is no form encoding stands for itself, and one that may be is kept as it is, too", () => {
    expect(parseBasic(encode("id:100%"))).toEqual({ clientId: "id", clientSecret: "100%" });
    expect(parseBasic(encode("id:a+b"))).toEqual({
      clientId: "id",
      clientSecret: "a b",
      secretAsSent: "a+b",
    });
  });

  test("Basic credentials are split at the first colon", () => {
    expect(parseBasic(encode("id:a:b"))).toEqual({ clientId: "id", clientSecret: "a:b" });
    expect(parseBasic(encode(":"))).toEqual({ clientId: "", clientSecret: undefined });
  });

  test("Basic credentials are decoded exactly, whatever they contain", () => {
    const text = fc.string({ unit: "grapheme" });
    fc.assert(
      fc.property(text, text, (clientId, clientSecret) => {
        const pair = [clientId, clientSecret].map(encodeURIComponent).join(":");
        const secret = clientSecret === "" ? undefined : clientSecret;
        expect(parseBasic(encode(pair))).toMatchObject({ clientId, clientSecret: secret });
      }),
    );
  });

  test.each([
    "Basic",
    "Basic ",
    "Basic a b",
    "Basic a:b",
    encode("no colon"),
    encode("%:a"),
    "Basic /w==",
  ])("Basic credentials are not found in %s", (authorization) => {
    expect(parseBasic(authorization)).toBeUndefined();
  });

  test("Basic credentials are distinguished from other schemes", () => {
    expect(["Basic x", "basic x", "BASIC"].map(usesBasic)).toEqual([true, true, true]);
    expect(["Bearer x", "Basics x", "", null].map(usesBasic)).toEqual([false, false, false, false]);
  });
});
