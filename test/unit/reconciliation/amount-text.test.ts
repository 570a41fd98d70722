import { expect, test } from "vitest";
import { amountText, decimalText } from "#modules/reconciliation/core/closing/amount-text.ts";

test.each([
  [123_456n, "EUR/2", "1,234.56", "1234.56"],
  [-123_456_789n, "EUR/2", "-1,234,567.89", "-1234567.89"],
  [5n, "EUR/2", "0.05", "0.05"],
  [-5n, "BTC/8", "-0.00000005", "-0.00000005"],
  [1_000n, "JPY", "1,000", "1000"],
  [0n, "EUR/2", "0.00", "0.00"],
  [2n ** 70n, "JPY/0", "1,180,591,620,717,411,303,424", "1180591620717411303424"],
] as const)("%s of %s is %s for people and %s for programs", (...row) => {
  const [amount, asset, read, decimal] = row;
  expect(amountText(amount, asset)).toBe(read);
  expect(decimalText(amount, asset)).toBe(decimal);
});
