import { describe, expect, test } from "vitest";
import {
  assetOf,
  CURRENCY_DECIMALS,
  currencyOf,
  fromMinorUnits,
  isCurrencyAsset,
  isProviderAsset,
  toMinorUnits,
} from "#modules/payments/core/assets.ts";

describe("assets", () => {
  test.each(["EUR/2", "JPY/0", "USD/7", "cad/2"])("clients may name the asset %s", (asset) => {
    expect(isCurrencyAsset(asset)).toBe(true);
  });

  test.each(["JPY", "USD", "BTC/8", "EUR/2/1", "EUR/", "/2", "MRO/2", ""])(
    "clients may not name the asset '%s'",
    (asset) => {
      expect(isCurrencyAsset(asset)).toBe(false);
    },
  );

  test.each(["EUR", "USD/2", "BTC/8", "USDC_TEST/6", "A"])(
    "providers may report the asset %s",
    (asset) => {
      expect(isProviderAsset(asset)).toBe(true);
    },
  );

  test.each(["eur/2", "", "EUR/", "EUR/1234567", "1INCH/8", "A_/2", "A".repeat(18)])(
    "providers may not report the asset '%s'",
    (asset) => {
      expect(isProviderAsset(asset)).toBe(false);
    },
  );

  test("assets of currencies have their decimals, and none where there are none or the currency is unknown", () => {
    expect(["eur", "JPY", "KWD", "CLF", "XYZ"].map(assetOf)).toEqual([
      "EUR/2",
      "JPY",
      "KWD/3",
      "CLF/4",
      "XYZ",
    ]);
    expect(["EUR/2", "JPY"].map(currencyOf)).toEqual(["EUR", "JPY"]);
    expect([...CURRENCY_DECIMALS.values()].every((decimals) => decimals <= 4)).toBe(true);
  });
});

describe("amounts", () => {
  test.each([
    ["12.3", 2, 1230n],
    ["-0.05", 2, -5n],
    ["7", 0, 7n],
    ["1.", 2, 100n],
    ["90071992547409930000.01", 2, 9007199254740993000001n],
  ])("%s with %i decimals is %i minor units", (text, decimals, amount) => {
    expect(toMinorUnits(text, decimals)).toBe(amount);
  });

  test.each(["1.234", "1e3", "", ".5", "1.2.3", " 1", "0x10"])("'%s' is no amount", (text) => {
    expect(toMinorUnits(text, 2)).toBeUndefined();
  });

  test.each([
    [1230n, 2, "12.30"],
    [-5n, 2, "-0.05"],
    [7n, 0, "7"],
    [9007199254740993000001n, 2, "90071992547409930000.01"],
  ])("%i with %i decimals is written %s", (amount, decimals, text) => {
    expect(fromMinorUnits(amount, decimals)).toBe(text);
  });
});
