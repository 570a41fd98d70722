import { describe, expect, test } from "vitest";
import { parseAmount } from "#console/parts/money/parse-amount.ts";

describe("parseAmount", () => {
  test.each([
    ["12.34", "EUR/2", 1234n],
    [" 7 ", "EUR/2", 700n],
    ["0.00000001", "BTC/8", 1n],
    ["42", "GEMS", 42n],
    ["123456789012345678901234567890.12", "EUR/2", 12345678901234567890123456789012n],
  ])("%s of %s", (text, asset, amount) => {
    expect(parseAmount(text, asset, "en-US")).toBe(amount);
  });

  test.each([
    ["1,234.50", "EUR/2"],
    ["1.234", "EUR/2"],
    ["1.0", "GEMS"],
    ["1e3", "EUR/2"],
    [".5", "EUR/2"],
    ["", "EUR/2"],
    ["€5", "EUR/2"],
    ["-1.5", "EUR/2"],
    ["1,250", "KWD/3"],
  ])("%s of %s is no amount", (text, asset) => {
    expect(parseAmount(text, asset, "en-US")).toBeUndefined();
  });

  test("what may be the mark of a group is no mark of decimals", () => {
    expect(parseAmount("1.250", "KWD/3", "en-US")).toBe(1250n);
    expect(parseAmount("12,3", "EUR/2", "de-DE")).toBe(1230n);
    expect(parseAmount("1.250", "KWD/3", "de-DE")).toBeUndefined();
    expect(parseAmount("1,250", "KWD/3", "de-DE")).toBe(1250n);
    expect(parseAmount("12.5", "KWD/3", "de-DE")).toBeUndefined();
    expect(parseAmount("12.5", "KWD/3", "fr-FR")).toBe(12_500n);
  });
});
