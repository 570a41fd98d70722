import { describe, expect, test } from "vitest";
import { formatAmount, parseAsset, toDecimal } from "#console/parts/money/asset.ts";

describe("an amount for people", () => {
  test.each([
    ["EUR/2", 1234n, "€12.34"],
    ["EUR/2", -5, "−€0.05"],
    ["JPY", 84_972, "¥84,972"],
    ["USD/4", 10_000, "$1.0000"],
    ["ETH/18", 2_301_016_539_462_386_044n, "2.301016539462386044 ETH"],
    ["GEM", 7, "7 GEM"],
    ["EUR/2", 10n ** 20n + 1n, "€1,000,000,000,000,000,000.01"],
  ])("%s %s is %s", (asset, amount, text) => {
    expect(formatAmount(amount, asset, "en").replaceAll(/\s/g, " ")).toBe(text);
  });

  test("an amount has the decimals of its asset, whatever its sign", () => {
    expect(toDecimal(-1n, { scale: 3 })).toBe("-0.001");
    expect(toDecimal(0, { scale: 2 })).toBe("0.00");
    expect(toDecimal(2n ** 70n, { scale: 0 })).toBe(String(2n ** 70n));
  });

  test("a name without a scale, or with one that no number format takes, has no decimals", () => {
    expect(parseAsset("EUR")).toEqual({ code: "EUR", scale: 0 });
    expect(parseAsset("EUR/101")).toEqual({ code: "EUR/101", scale: 0 });
  });
});
