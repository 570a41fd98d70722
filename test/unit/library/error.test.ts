import { expect, test } from "vitest";
import { ledgerErrors } from "#ledger-engine";
import { ERROR_CODES } from "#library/error.ts";

test("the library declares every code that the engine uses, and no other", () => {
  expect(ERROR_CODES.toSorted()).toEqual(ledgerErrors.codes.toSorted());
});
