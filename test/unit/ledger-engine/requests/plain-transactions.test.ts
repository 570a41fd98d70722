import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  readPlainCreation,
  readPlainTransaction,
} from "#ledger-engine/requests/plain-transactions.ts";
import { BulkElementRequest } from "#ledger-engine/requests/write-requests.ts";
import { POSTINGS_MAX } from "#ledger-engine/rules/limits.ts";
import { runsOf } from "#test/support/runner/runs.ts";

const POSTING = { source: "world", destination: "a", amount: 1, asset: "USD" };
const creation = (data: unknown, more: object = {}) => ({
  action: "CREATE_TRANSACTION",
  data,
  ...more,
});

describe("a transaction of postings or a script, a date, a reference and metadata", () => {
  test.each([
    ["postings alone", creation({ postings: [POSTING] })],
    ["a large amount", creation({ postings: [{ ...POSTING, amount: 2n ** 70n }] })],
    ["a negative amount", creation({ postings: [{ ...POSTING, amount: -1 }] })],
    ["no postings", creation({ postings: [] })],
    [
      "a key, a reference and metadata",
      creation({ postings: [POSTING], reference: "r", metadata: { k: "v" } }, { ik: "k" }),
    ],
    [
      "a script",
      creation({
        script: { plain: "send", vars: { a: "b", c: { amount: 1 } } },
        metadata: { k: "v" },
      }),
    ],
    ["a template", creation({ script: { template: "t", vars: { a: "b" } } })],
    ["a template beside a text", creation({ script: { plain: "", template: "t" } })],
    ["a script without a text", creation({ script: { vars: {} } })],
    ["a date", creation({ postings: [POSTING], timestamp: "2026-03-01T10:30:00.25+01:00" })],
    ["a script without variables", creation({ script: { plain: "" } })],
    ["members that nobody knows", creation({ postings: [{ ...POSTING, x: 1 }], y: 2 }, { z: 3 })],
  ])("a plain transaction is read as by the schema: %s", (_, element) => {
    const plain = readPlainCreation(element);
    expect(plain).toEqual(BulkElementRequest.parse(element));
    expect(readPlainTransaction(element.data)).toEqual(plain?.data);
  });

  const TOO_MANY = Array.from({ length: POSTINGS_MAX + 1 }, () => POSTING);

  test.each([
    ["nothing", undefined],
    ["a list", [creation({ postings: [POSTING] })]],
    ["another action", { action: "ADD_METADATA", data: { postings: [POSTING] } }],
    ["no data", creation(null)],
    ["no list of postings", creation({ postings: { 0: POSTING } })],
    ["too many postings", creation({ postings: TOO_MANY })],
    ["a posting that is null", creation({ postings: [null] })],
    ["a posting without a source", creation({ postings: [{ ...POSTING, source: null }] })],
    ["a destination that is a number", creation({ postings: [{ ...POSTING, destination: 1 }] })],
    ["a posting without an asset", creation({ postings: [{ ...POSTING, asset: undefined }] })],
    ["an amount in a text", creation({ postings: [{ ...POSTING, amount: "1" }] })],
    ["a fraction", creation({ postings: [{ ...POSTING, amount: 1.5 }] })],
    ["a number beyond 2^53", creation({ postings: [{ ...POSTING, amount: 2 ** 53 }] })],
    ["a key that is a number", creation({ postings: [POSTING] }, { ik: 1 })],
    ["a reference of null", creation({ postings: [POSTING], reference: null })],
    ["metadata of numbers", creation({ postings: [POSTING], metadata: { k: 1 } })],
    ["metadata in a list", creation({ postings: [POSTING], metadata: ["v"] })],
    ["postings and a script", creation({ postings: [POSTING], script: { plain: "" } })],
    ["a script that is a text", creation({ script: "send" })],
    ["a template that is a number", creation({ script: { plain: "", template: 1 } })],
    ["variables in a list", creation({ script: { plain: "", vars: ["v"] } })],
    ["neither postings nor a script", creation({ reference: "r" })],
    ["a date that is no date", creation({ postings: [POSTING], timestamp: "2026-03-01" })],
    ["a date of null", creation({ postings: [POSTING], timestamp: null })],
    ["metadata of accounts", creation({ postings: [POSTING], accountMetadata: {} })],
    ["a runtime", creation({ postings: [POSTING], runtime: "machine" })],
    ["force", creation({ postings: [POSTING], force: false })],
  ])("a plain transaction is left to the schema: %s", (_, element) => {
    expect(readPlainCreation(element)).toBeUndefined();
  });

  test("a plain transaction is what the schema says, whatever an element is made of", () => {
    const value = fc.oneof(
      { arbitrary: fc.constantFrom("world", "a", ""), weight: 8 },
      fc.constantFrom(null, undefined, 1, 1.5, -1, 2 ** 53, 2n ** 64n, [], {}, true),
    );
    const mostlyAbsent = fc.oneof({ arbitrary: fc.constant(undefined), weight: 8 }, value);
    const amount = fc.oneof(
      { arbitrary: fc.oneof(fc.maxSafeInteger(), fc.bigInt()), weight: 8 },
      value,
    );
    const posting = fc.record(
      { source: value, destination: value, amount, asset: value, other: value },
      { requiredKeys: ["source", "destination", "amount", "asset"] },
    );
    const data = fc.record(
      {
        postings: fc.oneof(
          { arbitrary: fc.array(posting, { maxLength: 2 }), weight: 8 },
          value,
          fc.constant(undefined),
        ),
        reference: value,
        metadata: fc.oneof(fc.dictionary(fc.string(), value, { maxKeys: 2 }), mostlyAbsent),
        script: fc.oneof(
          { arbitrary: fc.constant(undefined), weight: 8 },
          fc.record({
            plain: value,
            template: mostlyAbsent,
            vars: fc.oneof(mostlyAbsent, fc.constant({ a: 1 })),
          }),
        ),
        force: mostlyAbsent,
        timestamp: fc.oneof(mostlyAbsent, fc.constant("2026-03-01T09:30:00.5Z")),
      },
      { requiredKeys: ["postings"] },
    );
    const element = fc.record(
      { action: fc.constantFrom("CREATE_TRANSACTION", "REVERT_TRANSACTION"), ik: value, data },
      { requiredKeys: ["action", "data"] },
    );
    let read = 0;
    fc.assert(
      fc.property(element, (item) => {
        const plain = readPlainCreation(item);
        if (plain === undefined) return;
        read++;
        expect(plain).toEqual(BulkElementRequest.parse(item));
      }),
      { numRuns: runsOf(2000), seed: 7 },
    );
    expect(read).toBeGreaterThan(runsOf(50));
  });
});
