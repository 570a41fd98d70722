import { describe, expect, test } from "vitest";
import { Currencies } from "#modules/payments/connectors/kit/currencies.ts";

const currencies = new Currencies({
  known: ["EUR", "JPY", "CLP", "CVE", "KWD"],
  exceptions: { CLP: 2, CVE: 0 },
});

describe("the currencies of a provider", () => {
  test.each([
    [1050n, "eur", 1050n, "EUR/2"],
    [7n, "JPY", 7n, "JPY"],
    // The provider counts hundredths of a currency without decimals.
    [1000n, "CLP", 10n, "CLP"],
    [1001n, "CLP", 1001n, "CLP/2"],
    // The provider counts whole units of a currency with two decimals.
    [5n, "CVE", 500n, "CVE/2"],
    [1234n, "KWD", 1234n, "KWD/3"],
  ])(
    "the currencies of a provider turn %i units of %s into %i %s",
    (...[units, currency, amount, asset]) => {
      expect(currencies.fromUnits(units, currency)).toEqual({ amount, asset });
    },
  );

  test.each([
    ["10.5", "EUR", 1050n, "EUR/2"],
    ["10.500", "EUR", 1050n, "EUR/2"],
    ["-3", "EUR", -300n, "EUR/2"],
    ["12.0", "JPY", 12n, "JPY"],
    ["0.001", "KWD", 1n, "KWD/3"],
  ])(
    "the currencies of a provider turn the number %s %s into %i %s",
    (...[text, currency, amount, asset]) => {
      expect(currencies.fromDecimal(text, currency)).toEqual({ amount, asset });
    },
  );

  test("the currencies of a provider refuse a number with more decimals than its currency has", () => {
    expect(() => currencies.fromDecimal("1.005", "EUR")).toThrow("more than 2 decimals");
  });

  test("the currencies of a provider include no others", () => {
    expect(currencies.fromUnits(1n, "XXX")).toBeUndefined();
    expect(currencies.fromDecimal("1", "GBP")).toBeUndefined();
    expect(currencies.assetOf("USD")).toBeUndefined();
    expect(currencies.assetOf("eur")).toBe("EUR/2");
    expect(() => currencies.toUnits({ amount: 1n, asset: "USD/2" })).toThrow("USD/2");
  });

  test("the currencies of a provider write amounts in its units, and lose no part of an amount", () => {
    expect(currencies.toUnits({ amount: 10n, asset: "CLP" })).toEqual({
      units: 1000n,
      currency: "CLP",
    });
    expect(currencies.toUnits({ amount: 500n, asset: "CVE/2" }).units).toBe(5n);
    expect(() => currencies.toUnits({ amount: 501n, asset: "CVE/2" })).toThrow("0 decimals");
    expect(currencies.toUnits({ amount: 12_300n, asset: "EUR/4" }).units).toBe(123n);
    expect(() => currencies.toUnits({ amount: 12_301n, asset: "EUR/4" })).toThrow("2 decimals");
    expect(currencies.toDecimal({ amount: 1050n, asset: "EUR/2" })).toEqual({
      decimal: "10.50",
      currency: "EUR",
    });
    expect(currencies.toDecimal({ amount: 7n, asset: "JPY" }).decimal).toBe("7");
  });
});
