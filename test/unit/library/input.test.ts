import { describe, expect, test } from "vitest";
import type { NewTransaction } from "#library/index.ts";
import { ledgerInMemory, pay, refusalOf } from "#test/support/library/library.ts";

/** The outcome of a transaction that plain JavaScript can pass. */
const fateOf = (transaction: unknown): string =>
  refusalOf(() => ledgerInMemory().createTransaction(transaction as NewTransaction));

const paying = (amount: unknown) => ({ postings: [{ ...pay("world -> a", 1), amount }] });

describe("an amount", () => {
  test.each([0, 1, 2 ** 53 - 1, 5n, 10n ** 999n])("an amount may be %s", (amount) => {
    const ledger = ledgerInMemory();
    ledger.createTransaction(paying(amount) as NewTransaction);
    expect(ledger.balance("a", "USD/2")).toBe(BigInt(amount));
  });

  test.each([
    [2 ** 53, /^VALIDATION: transaction: 9007199254740992 is beyond 2\^53/],
    [1e300, /^VALIDATION: transaction: 1e\+300 is beyond 2\^53/],
    [1.5, /^VALIDATION: transaction 'postings.0.amount': expected an integer$/],
    [1e-7, /^VALIDATION: transaction 'postings.0.amount': expected an integer$/],
    [Number.NaN, /^VALIDATION: transaction: NaN is not an integer$/],
    [Number.POSITIVE_INFINITY, /^VALIDATION: transaction: Infinity is not an integer$/],
    ["1", /^VALIDATION: transaction 'postings.0.amount': expected an integer$/],
    [-1, /^VALIDATION: negative amount$/],
    [-1n, /^VALIDATION: negative amount$/],
    [undefined, /^VALIDATION: no amount defined$/],
    [10n ** 1000n, /^VALIDATION: an amount has more than 1000 digits$/],
    [10n ** 3000n, /^VALIDATION: transaction: a number has too many digits$/],
  ])("an amount is refused as %s", (amount, refusal) => {
    expect(fateOf(paying(amount))).toMatch(refusal);
  });
});

describe("a time", () => {
  test("a time may be a date", () => {
    const timestamp = new Date("2026-02-01T00:00:00.250Z");
    const made = ledgerInMemory().createTransaction({
      postings: [pay("world -> a", 1)],
      timestamp,
    });
    expect(made.timestamp).toBe("2026-02-01T00:00:00.25Z");
  });

  test.each([
    ["an invalid date", new Date(Number.NaN), "VALIDATION: transaction: an invalid date"],
    [
      "a date beyond the year 9999",
      new Date(8.64e15),
      /^VALIDATION: .*'timestamp': expected an RFC/,
    ],
    ["a text without a zone", "2026-02-01T00:00:00", /^VALIDATION: .*'timestamp': expected an RFC/],
    ["a number", 1_700_000_000, /^VALIDATION: .*'timestamp'/],
  ])("a time is refused as %s", (_, timestamp, refusal) => {
    expect(fateOf({ ...paying(1), timestamp })).toMatch(refusal);
  });
});

describe("a text", () => {
  test.each([
    ["U+0000", "a\0b", "VALIDATION: transaction: strings must not contain U+0000"],
    [
      "half a character",
      "\ud800",
      "VALIDATION: transaction: strings must not contain lone surrogates",
    ],
  ])("a text is refused with %s", (_, reference, refusal) => {
    expect(fateOf({ ...paying(1), reference })).toBe(refusal);
    expect(fateOf({ ...paying(1), metadata: { [reference]: "x" } })).toBe(refusal);
  });

  test("a text has the limits of the HTTP API", () => {
    expect(fateOf({ ...paying(1), reference: "x".repeat(1025) })).toBe(
      "VALIDATION: the reference is longer than 1024 characters",
    );
    const idempotencyKey = "x".repeat(256);
    expect(
      refusalOf(() =>
        ledgerInMemory().createTransaction(
          { postings: [pay("world -> a", 1)] },
          { idempotencyKey },
        ),
      ),
    ).toBe("VALIDATION: the idempotency key is longer than 255 characters");
  });
});

describe("a transaction is refused", () => {
  const cycle: Record<string, unknown> = paying(1);
  cycle["metadata"] = { cycle };

  test.each([
    ["without postings and script", {}, /^NO_POSTINGS: /],
    ["with both", { ...paying(1), script: "x" }, /^VALIDATION: cannot pass postings and numscript/],
    [
      "with null metadata values",
      { ...paying(1), metadata: { a: null } },
      /'metadata.a': expected a text/,
    ],
    ["with a map", { ...paying(1), metadata: new Map([["a", "b"]]) }, /expected a plain object/],
    ["that holds itself", cycle, /^VALIDATION: transaction: Converting circular structure/],
    [
      "with a wrong address",
      { postings: [pay("world -> a b", 1)] },
      /^VALIDATION: invalid destination/,
    ],
    [
      "with a wrong asset",
      { postings: [pay("world -> a", 1, "usd")] },
      /^VALIDATION: invalid asset/,
    ],
    [
      "with a template of no schema",
      { script: { template: "t" } },
      /^VALIDATION: can only use templates on a schema with transaction definitions$/,
    ],
    [
      "with a template and a text",
      { script: { template: "t", plain: "x" } },
      /^VALIDATION: cannot pass numscript and template/,
    ],
    [
      "with an unknown runtime",
      { ...paying(1), runtime: "x" },
      /^VALIDATION: transaction 'runtime'/,
    ],
  ])("a transaction is refused %s", (_, transaction, refusal) => {
    expect(fateOf(transaction)).toMatch(refusal);
  });
});

describe("an option", () => {
  test("an option of a wrong type is refused before anything is written", () => {
    const ledger = ledgerInMemory();
    const options = { dryRun: "yes" } as unknown as { dryRun: boolean }; // a value that plain JavaScript can pass
    expect(
      refusalOf(() => ledger.createTransaction({ postings: [pay("world -> a", 1)] }, options)),
    ).toMatch(/^VALIDATION: option 'dryRun': /);
    expect([...ledger.logs()]).toEqual([]);
  });
});

describe("a target of metadata", () => {
  test.each([
    ["address", (id: never) => ledgerInMemory().addAccountMetadata(id, {}), "a b"],
    ["address", (id: never) => ledgerInMemory().deleteAccountMetadata(id, "k"), 7],
    ["id", (id: never) => ledgerInMemory().addTransactionMetadata(id, {}), "7"],
    ["id", (id: never) => ledgerInMemory().deleteTransactionMetadata(id, "k"), 1.5],
    ["id", (id: never) => ledgerInMemory().revertTransaction(id), -1],
  ])("a target of metadata needs a proper %s", (_, work, id) => {
    expect(refusalOf(() => work(id as never))).toMatch(/^VALIDATION: /);
  });
});
