import { describe, expect, test } from "vitest";
import { TestLedger } from "#test/support/ledger-engine/fixtures.ts";
import {
  LINES,
  type Refusal,
  refusalAt,
  UNCHAINED,
} from "#test/support/ledger-engine/import-refusals.ts";
import { importInto } from "#test/support/ledger-engine/logs.ts";

describe("an import is refused with what is no entry", () => {
  const MALFORMED: Readonly<Record<string, Refusal>> = {
    "no type": [1, { type: undefined }, "'type': expected a text"],
    "an unknown type": [
      1,
      { type: "NOPE" },
      "'type': expected one of NEW_TRANSACTION, REVERTED_TRANSACTION, SET_METADATA, DELETE_METADATA, INSERTED_SCHEMA",
    ],
    "a type that every object has": [
      1,
      { type: "constructor" },
      "'type': expected one of NEW_TRANSACTION, REVERTED_TRANSACTION, SET_METADATA, DELETE_METADATA, INSERTED_SCHEMA",
    ],
    "no schema": [1, { type: "INSERTED_SCHEMA" }, "invalid schema: expected an object"],
    "a schema without chart": [
      1,
      { type: "INSERTED_SCHEMA", "data.schema": { version: "v1" } },
      "invalid schema: missing chart of accounts",
    ],
    "a schema without version": [
      1,
      { type: "INSERTED_SCHEMA", "data.schema": { chart: {} } },
      "the schema version must not be empty",
    ],
    "a schema without date": [
      1,
      { type: "INSERTED_SCHEMA", "data.schema": { chart: {}, version: "v1" } },
      "invalid schema: it has no date of creation",
    ],
    "an invalid schema": [
      1,
      {
        type: "INSERTED_SCHEMA",
        "data.schema": { chart: { $a: {} }, version: "v1", createdAt: "2026-03-01T10:00:00Z" },
      },
      "invalid key $a: root cannot have a variable segment",
    ],
    "a schema version that is too long": [
      1,
      { schemaVersion: "x".repeat(256) },
      "'schemaVersion': expected at most 255 characters",
    ],
    "a number as schema version": [1, { schemaVersion: 1 }, "'schemaVersion': expected a text"],
    "a template name that is too long": [
      1,
      { "data.transaction.template": "x".repeat(256) },
      "'data.transaction.template': expected at most 255 characters",
    ],
    "no data": [1, { data: undefined }, "'data': expected an object"],
    "a list as data": [1, { data: [] }, "'data': expected an object"],
    "no id": [1, { id: undefined }, "'id': expected an integer of 0 or more"],
    "a text as id": [1, { id: "1" }, "'id': expected an integer of 0 or more"],
    "a negative id": [1, { id: -1 }, "'id': expected an integer of 0 or more"],
    "an id beyond 2^53": [1, { id: 2n ** 53n }, "'id': expected at most 4503599627370496"],
    "a transaction id beyond 2^53": [
      1,
      { "data.transaction.id": 2n ** 53n },
      "'data.transaction.id': expected at most 4503599627370496",
    ],
    "an id that leaves no room for others": [
      1,
      { id: 2 ** 52 + 1 },
      "'id': expected at most 4503599627370496",
    ],
    "a transaction id that leaves no room for others": [
      1,
      { "data.transaction.id": 2 ** 52 + 1 },
      "'data.transaction.id': expected at most 4503599627370496",
    ],
    "no date": [1, { date: undefined }, "'date': expected a text"],
    "a date without zone": [
      1,
      { date: "2026-03-01T10:00:00" },
      "'date': expected an RFC 3339 date with a zone",
    ],
    "a key that is too long": [
      1,
      { idempotencyKey: "x".repeat(256) },
      "'idempotencyKey': expected at most 255 characters",
    ],
    "a number as key": [1, { idempotencyKey: 5 }, "'idempotencyKey': expected a text"],
    "no transaction": [
      1,
      { "data.transaction": undefined },
      "'data.transaction': expected an object",
    ],
    "no timestamp": [
      1,
      { "data.transaction.timestamp": undefined },
      "'data.transaction.timestamp': expected a text",
    ],
    "no postings": [
      1,
      { "data.transaction.postings": [] },
      "'data.transaction.postings': expected a list of postings",
    ],
    "too many postings": [
      1,
      { "data.transaction.postings": Array.from({ length: 20_001 }, () => ({})) },
      "there are more than 20000 postings",
    ],
    "an invalid source": [
      1,
      { "data.transaction.postings.0.source": "a b" },
      "invalid source address 'a b'",
    ],
    "no destination": [
      1,
      { "data.transaction.postings.0.destination": undefined },
      "'data.transaction.postings.0.destination': expected a text",
    ],
    "a source that is too long": [
      1,
      { "data.transaction.postings.0.source": "x".repeat(8193) },
      `invalid source address '${"x".repeat(80)}…'`,
    ],
    "an invalid asset": [
      1,
      { "data.transaction.postings.0.asset": "usd" },
      "'data.transaction.postings.0.asset': expected an asset such as USD/2",
    ],
    "a text as amount": [
      1,
      { "data.transaction.postings.0.amount": "1" },
      "'data.transaction.postings.0.amount': expected an integer",
    ],
    "a negative amount": [
      1,
      { "data.transaction.postings.0.amount": -1 },
      "'data.transaction.postings.0.amount': expected 0 or more with at most 1000 digits",
    ],
    "a huge amount": [
      1,
      { "data.transaction.postings.0.amount": 10n ** 1000n },
      "'data.transaction.postings.0.amount': expected 0 or more with at most 1000 digits",
    ],
    "metadata that is no text": [
      1,
      { "data.transaction.metadata.k": 1 },
      "'data.transaction.metadata.k': expected a text",
    ],
    "too much metadata": [
      1,
      { "data.transaction.metadata.k": "x".repeat(400_000) },
      "the metadata is larger than 400000 bytes",
    ],
    "a reference that is too long": [
      1,
      { "data.transaction.reference": "x".repeat(8193) },
      "the reference is longer than 8192 characters",
    ],
    "a text for a boolean": [
      1,
      { "data.transaction.reverted": "yes" },
      "'data.transaction.reverted': expected true or false",
    ],
    "metadata of an account that no ledger can hold": [
      2,
      { "data.accountMetadata": { "a\u0001": {} } },
      "invalid account address 'a\u0001'",
    ],
    "invalid account metadata": [
      2,
      { "data.accountMetadata": { a: 1 } },
      "'data.accountMetadata.a': expected an object",
    ],
    "another target type": [
      3,
      { "data.targetType": "X" },
      "'data.targetType': expected ACCOUNT or TRANSACTION",
    ],
    "a text as transaction": [
      3,
      { "data.targetId": "1" },
      "'data.targetId': expected an integer of 0 or more",
    ],
    "a number as account": [4, { "data.targetId": 1 }, "'data.targetId': expected a text"],
    "null as metadata of a transaction": [
      3,
      { "data.metadata": null },
      "'data.metadata': expected an object",
    ],
    "an account that no ledger can hold": [
      4,
      { "data.targetId": "\u{10ffff}" },
      "invalid account address '\u{10ffff}'",
    ],
    "no key": [5, { "data.key": undefined }, "'data.key': expected a text"],
    "nothing that is reverted": [
      6,
      { "data.revertedTransaction": undefined },
      "'data.revertedTransaction': expected an integer of 0 or more",
    ],
  };
  test.each(Object.entries(MALFORMED))(
    "an import is refused with what is no entry: %s",
    (_, [line, changes, details]) => {
      expect(refusalAt(line, changes)).toEqual({
        kind: "IMPORT",
        message: `importing logs: entry ${line} is not a log entry`,
        details,
      });
    },
  );

  test.each(["{}", '{"a":', "{'a':1}", '{"id":1.5}', '{"id":1e3}'])(
    "an import is refused with what is no entry: %s",
    (text) => {
      const ledger = new TestLedger({ features: UNCHAINED });
      const before = ledger.dump();
      const { taken, failure } = ledger.engine.importLogs({ texts: [text], before: 41 });
      expect(taken).toBe(0);
      const isJson = !text.includes('"a":') && !text.includes("'");
      expect(failure?.kind).toBe(isJson ? "IMPORT" : "VALIDATION");
      expect(failure?.message).toContain("entry 42 is not ");
      expect(failure?.details).not.toBe("");
      expect(ledger.dump()).toBe(before);
    },
  );

  test("an import takes the last one of a transaction that comes twice in an entry, as in JSON", () => {
    const ledger = new TestLedger({ features: UNCHAINED });
    importInto(ledger, LINES.slice(0, 6));
    const [line = ""] = LINES.slice(6);
    const end = '},"accountMetadata":';
    const twice = line.replace(end, `${end}{},"transaction":{"id":9${end}`);
    expect(importInto(ledger, [twice]).failure?.details).toBe(
      "'data.transaction.postings': expected a list of postings",
    );
    expect(importInto(ledger, [line])).toEqual({ taken: 1 });
  });
});
