import { describe, expect, test } from "vitest";
import { maskNumbers, numbersProblem } from "#modules/payments/core/owners/bank-numbers.ts";
import { isCountryCode } from "#modules/payments/core/owners/country-codes.ts";

describe("numbers of bank accounts", () => {
  test("numbers of bank accounts are masked, the bank's code is not", () => {
    expect(
      maskNumbers({
        accountNumber: "123456789",
        iban: "FR7630006000011234567890189",
        swiftBicCode: "BNPAFRPP",
      }),
    ).toEqual({
      accountNumber: "12****789",
      iban: "FR76*******************0189",
      swiftBicCode: "BNPAFRPP",
    });
    expect(maskNumbers({})).toEqual({});
  });

  test.each([
    ["1234", "****"],
    ["12345", "12345"],
    ["123456", "12*456"],
    ["1", "*"],
  ])(
    "numbers of bank accounts keep two and three characters of %s where there are so many",
    (accountNumber, shown) => {
      expect(maskNumbers({ accountNumber })).toEqual({ accountNumber: shown });
    },
  );

  test.each([
    [{}, "accountNumber or iban is required"],
    [{ swiftBicCode: "BNPAFRPP" }, "accountNumber or iban is required"],
    [{ accountNumber: "12 34" }, "accountNumber can only contain alphanumeric characters"],
    [{ accountNumber: "1".repeat(1001) }, "accountNumber must have at most 1000 characters"],
    [{ iban: "FR76 3000" }, "iban can only contain alphanumeric characters"],
    [{ iban: "F".repeat(14) }, "iban must have 15 to 31 characters"],
    [{ iban: "F".repeat(32) }, "iban must have 15 to 31 characters"],
    [{ accountNumber: "1", swiftBicCode: "BNP" }, "swiftBicCode must have 8 to 11 characters"],
  ])("numbers of bank accounts are refused where they are %j", (numbers, problem) => {
    expect(numbersProblem(numbers)).toBe(problem);
  });

  test.each([
    { accountNumber: "0" },
    { iban: "F".repeat(15) },
    { iban: "F".repeat(31), accountNumber: "12", swiftBicCode: "BNPAFRPPXXX" },
  ])("numbers of bank accounts are accepted where they are %j", (numbers) => {
    expect(numbersProblem(numbers)).toBeUndefined();
  });
});

describe("country codes", () => {
  test.each(["FR", "FRA", "250", "AD", "AND", "020", "ZWE"])(
    "country codes of ISO 3166-1 have %s",
    (code) => {
      expect(isCountryCode(code)).toBe(true);
    },
  );

  test.each(["fr", "XX", "EU", "FRAN", "20", "0", "", "RFRA"])(
    "country codes have no '%s'",
    (code) => {
      expect(isCountryCode(code)).toBe(false);
    },
  );
});
