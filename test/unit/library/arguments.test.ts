import { expect, test } from "vitest";
import { LedgerError, openLedger } from "#library/index.ts";

/** A value that only a caller without types can pass. */
const untyped = (value: unknown): never => value as never;

test.each([
  ["an invalid order", () => [...openLedger().transactions({ order: untyped("up") })]],
  ["an invalid order of accounts", () => [...openLedger().accounts({ order: untyped(";") })]],
  ["a bulk that is no list", () => openLedger().bulk(untyped(new Set()))],
  ["a text for an id", () => openLedger().getTransaction(untyped("1"))],
  ["no number for an id", () => openLedger().getTransaction(Number.NaN)],
  ["no number for a log id", () => [...openLedger().logs({ after: Number.NaN })]],
])("%s is refused", (_, call) => {
  expect(call).toThrow(LedgerError);
  expect(call).toThrow(expect.objectContaining({ code: "VALIDATION" }));
});
