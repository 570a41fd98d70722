import { Buffer } from "node:buffer";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalMetadata, canonicalText, compareBytes } from "#ledger-engine/rules/canonical.ts";

describe("canonical JSON", () => {
  test("canonical JSON writes control characters short where JSON has a short form, and HTML's characters as escapes", () => {
    expect(canonicalText('\b\f\n\r\t\u0001"\\/<>&\u2028\u2029\u007f日😀')).toBe(
      String.raw`"\b\f\n\r\t\u0001\"\\/\u003c\u003e\u0026\u2028\u2029` + `\u007f日😀"`,
    );
  });

  test("canonical JSON sorts keys by bytes: digits before letters, U+E000 before what lies above U+FFFF", () => {
    const keys = ["😀", "\ue000", "b", "B", "10", "9", "__proto__", "é"];
    const map = Object.fromEntries(keys.map((key) => [key, ""]));
    expect(canonicalMetadata(map)).toBe(
      `{"10":"","9":"","B":"","__proto__":"","b":"","é":"","\ue000":"","😀":""}`,
    );
  });

  test("canonical JSON orders texts as their UTF-8 bytes are ordered", () => {
    const text = fc.string({
      unit: fc.constantFrom("\0", "9", "a", "é", "日", "\ue000", "\uffff", "𐀀", "😀"),
    });
    fc.assert(
      fc.property(text, text, (a, b) => {
        const bytes = Buffer.compare(Buffer.from(a), Buffer.from(b));
        expect(Math.sign(compareBytes(a, b))).toBe(bytes);
      }),
    );
  });
});
