import { expect, test } from "vitest";
import {
  assertEventSize,
  assertMetadata,
  assertReference,
  EVENT_BYTES_MAX,
  METADATA_BYTES_MAX,
  REFERENCE_LENGTH_MAX,
  type Sized,
} from "#ledger-engine/rules/limits.ts";
import type { Metadata } from "#ledger-engine/rules/types.ts";
import { posting, refusalOf } from "#test/support/ledger-engine/fixtures.ts";

test("a reference may have as many characters as the limit says", () => {
  expect(refusalOf(() => assertReference("r".repeat(REFERENCE_LENGTH_MAX)))).toBe("none");
  expect(refusalOf(() => assertReference("r".repeat(REFERENCE_LENGTH_MAX + 1)))).toBe("VALIDATION");
});

test("metadata counts its keys and its values", () => {
  const half = "x".repeat(METADATA_BYTES_MAX / 2 - 3);
  expect(refusalOf(() => assertMetadata({ [half]: half }))).toBe("none");
  expect(refusalOf(() => assertMetadata({ [half]: `${half}x` }))).toBe("VALIDATION");
  expect(refusalOf(() => assertMetadata({ [half]: half, "": "" }))).toBe("VALIDATION");
});

test("metadata counts as it is written: escapes and characters of several bytes", () => {
  const most = METADATA_BYTES_MAX - 6;
  for (const [text, bytes] of [
    ["\u0001", 6],
    ['"', 2],
    ["é", 2],
    ["€", 3],
    ["😀", 4],
  ] as const) {
    const fitting = text.repeat(Math.floor(most / bytes));
    expect(refusalOf(() => assertMetadata({ "": fitting }))).toBe("none");
    expect(refusalOf(() => assertMetadata({ "": fitting + text }))).toBe("VALIDATION");
  }
});

test("an event has a largest size: postings, volumes, long amounts and account metadata count", () => {
  const many = (count: number, amount = 1n) =>
    Array.from({ length: count }, () => posting("world -> a", amount));
  const volumesOf = (count: number, amount = 1n) =>
    Array.from({ length: count }, (_, index) => {
      const { source: account, asset } = posting(`users:${index} -> a`, amount);
      return { account, asset, input: amount, output: amount };
    });
  const refusal = (
    postings: Sized["postings"],
    volumes: NonNullable<Sized["volumes"]>,
    accountMetadata: Readonly<Record<string, Metadata>>,
  ) => refusalOf(() => assertEventSize({ postings, metadata: {}, volumes }, accountMetadata));
  expect(refusal(many(800), volumesOf(800), {})).toBe("none");
  expect(refusal(many(800), volumesOf(1600), {})).toBe("VALIDATION");
  expect(refusal(many(1000, 10n ** 900n), [], {})).toBe("VALIDATION");
  expect(refusal([], volumesOf(300, 10n ** 900n), {})).toBe("VALIDATION");
  const text = "x".repeat(EVENT_BYTES_MAX);
  expect(refusal(many(1), [], { a: { k: text } })).toBe("VALIDATION");
});
