import { expect, test } from "vitest";
import {
  assertMetadata,
  assertReference,
  assertTransactionSize,
  METADATA_LENGTH_MAX,
  REFERENCE_LENGTH_MAX,
  TRANSACTION_LENGTH_MAX,
} from "../../../../src/modules/ledger/core/limits.ts";
import { posting, refusalOf } from "../../../support/ledger-fixtures.ts";

test("a reference may have as many characters as the limit says", () => {
  expect(refusalOf(() => assertReference("r".repeat(REFERENCE_LENGTH_MAX)))).toBe("none");
  expect(refusalOf(() => assertReference("r".repeat(REFERENCE_LENGTH_MAX + 1)))).toBe("VALIDATION");
});

test("metadata counts its keys and its values", () => {
  const half = "x".repeat(METADATA_LENGTH_MAX / 2);
  expect(refusalOf(() => assertMetadata({ [half]: half }))).toBe("none");
  expect(refusalOf(() => assertMetadata({ [half]: `${half}x` }))).toBe("VALIDATION");
  expect(refusalOf(() => assertMetadata({ [half]: half, "": "x" }))).toBe("VALIDATION");
});

test("a transaction has a largest size: postings, long amounts and account metadata count", () => {
  const many = (count: number, amount = 1n) =>
    Array.from({ length: count }, () => posting("world -> a", amount));
  expect(refusalOf(() => assertTransactionSize(many(500), {}))).toBe("none");
  expect(refusalOf(() => assertTransactionSize(many(1000), {}))).toBe("VALIDATION");
  expect(refusalOf(() => assertTransactionSize(many(500, 10n ** 900n), {}))).toBe("VALIDATION");
  const text = "x".repeat(TRANSACTION_LENGTH_MAX);
  expect(refusalOf(() => assertTransactionSize(many(1), { a: { k: text } }))).toBe("VALIDATION");
});
