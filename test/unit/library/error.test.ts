import { expect, test } from "vitest";
import { ledgerErrors } from "#ledger-engine";
import { ERROR_CODES } from "#library/error.ts";

test("users know every code that the engine gives, and no other", () => {
  expect(ERROR_CODES.toSorted()).toEqual(ledgerErrors.codes.toSorted());
});
