import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type FilteredResource,
  type LedgerFilter,
  parseLedgerFilter,
} from "#ledger-engine/rules/filters/filters.ts";
import { AppError } from "#platform/errors.ts";
import { LIKE_LENGTH_MAX } from "#platform/filter/like.ts";
import { attempt } from "#platform/result.ts";
import { runsOf } from "#test/support/runner/runs.ts";

const parse = (resource: FilteredResource, filter: unknown): LedgerFilter | undefined =>
  parseLedgerFilter(resource, JSON.stringify(filter));

/** The message with which a filter is refused. */
function refusalOf(resource: FilteredResource, filter: unknown): string {
  const parsed = attempt(() => parse(resource, filter));
  if (parsed.ok) throw new Error(`accepted: ${JSON.stringify(filter)}`);
  expect(parsed.failure.kind).toBe("VALIDATION");
  return parsed.failure.message;
}

const RESOURCES = ["transactions", "accounts", "volumes", "balances", "logs"] as const;
const OPERATORS = ["$match", "$lt", "$lte", "$gt", "$gte", "$like", "$in", "$exists"] as const;
const COMPARISONS = ["$match", "$lt", "$lte", "$gt", "$gte"] as const;

type KeyKind = "number" | "date" | "text" | "boolean" | "address" | "map" | "names";

/** The operators that each kind of key takes, each with a valid value. */
const TAKEN: Readonly<Record<KeyKind, Readonly<Partial<Record<string, unknown>>>>> = {
  number: Object.fromEntries(COMPARISONS.map((operator) => [operator, 5])),
  date: Object.fromEntries(COMPARISONS.map((operator) => [operator, "2026-03-01T09:30:00Z"])),
  text: { $match: "x", $like: "x%", $in: ["x", "y"] },
  boolean: { $match: true },
  address: { $match: "users:", $like: "users:%", $in: ["users:1"] },
  map: { $match: "x", $like: "x%", $in: ["x"], $exists: true },
  names: { $match: "k", $exists: "k" },
};
const BALANCE = { ...TAKEN.number, $exists: true };

const KEYS: Readonly<Record<FilteredResource, Readonly<Record<string, KeyKind>>>> = {
  transactions: {
    id: "number",
    reference: "text",
    timestamp: "date",
    inserted_at: "date",
    updated_at: "date",
    reverted_at: "date",
    reverted: "boolean",
    account: "address",
    source: "address",
    destination: "address",
    metadata: "names",
    "metadata[k]": "map",
  },
  accounts: {
    address: "address",
    first_usage: "date",
    insertion_date: "date",
    updated_at: "date",
    metadata: "names",
    "metadata[k]": "map",
  },
  volumes: {
    account: "address",
    address: "address",
    first_usage: "date",
    metadata: "names",
    "metadata[k]": "map",
  },
  balances: { address: "address", metadata: "names", "metadata[k]": "map" },
  logs: { id: "number", date: "date" },
  schemas: { version: "text", created_at: "date" },
};

describe("the keys of a resource", () => {
  test.each(RESOURCES)("the keys of a resource take their operators only: %s", (resource) => {
    for (const [key, kind] of Object.entries(KEYS[resource])) {
      for (const operator of OPERATORS) {
        const taken = TAKEN[kind];
        if (operator in taken) {
          expect(parse(resource, { [operator]: { [key]: taken[operator] } })).toBeDefined();
        } else {
          const value = operator === "$in" ? ["x"] : "x";
          expect(refusalOf(resource, { [operator]: { [key]: value } })).toBe(
            `operator '${operator}' is not allowed for property '${key}'`,
          );
        }
      }
    }
  });

  test.each(RESOURCES)("the keys of a resource are a closed set: %s", (resource) => {
    const all = new Set(RESOURCES.flatMap((other) => Object.keys(KEYS[other])));
    const others = ["nope", "insertedAt", "firstUsage", "ID", "", "toString", "__proto__"];
    const maps = ["metadata[]", "metadata[k", "id[k]", "address[k]", "name[k]", "x[k]", "[k]"];
    const unknown = [...all, ...others, ...maps].filter((key) => !(key in KEYS[resource]));
    for (const key of new Set(unknown)) {
      if (key === "type" && resource === "logs") continue;
      expect(refusalOf(resource, { $match: Object.fromEntries([[key, "x"]]) })).toBe(
        `unknown key '${key}' when building query`,
      );
    }
  });

  test("keys of balances take integers, where accounts and volumes have them", () => {
    for (const resource of ["accounts", "volumes"] as const) {
      for (const key of ["balance", "balance[USD/2]"]) {
        for (const operator of OPERATORS) {
          const filter = (value: unknown) => ({ [operator]: { [key]: value } });
          if (operator === "$exists") {
            const value = key === "balance" ? "USD/2" : true;
            expect(parse(resource, filter(value))).toEqual({
              kind: "balanceExists",
              asset: "USD/2",
            });
          } else if (operator in BALANCE) {
            const asset = key === "balance" ? undefined : "USD/2";
            const found = parse(resource, filter(-5));
            expect(found).toEqual({ kind: "balance", asset, operator, value: -5n });
          } else {
            expect(refusalOf(resource, filter(operator === "$in" ? [5] : 5))).toContain(operator);
          }
        }
      }
    }
    expect(refusalOf("balances", { $match: { balance: 5 } })).toContain("unknown key");
  });

  test("keys of logs include the type, of a closed set", () => {
    expect(parse("logs", { $match: { type: "SET_METADATA" } })).toEqual({
      kind: "text",
      key: "type",
      values: ["SET_METADATA"],
    });
    const types = ["INSERTED_SCHEMA", "NEW_TRANSACTION"];
    expect(parse("logs", { $in: { type: types } })).toEqual({
      kind: "text",
      key: "type",
      values: types,
    });
    for (const filter of [{ $match: { type: "nope" } }, { $in: { type: ["SET_METADATA", "x"] } }]) {
      expect(refusalOf("logs", filter)).toContain("expected one of NEW_TRANSACTION, ");
    }
  });
});

describe("a test", () => {
  test.each<[FilteredResource, string, LedgerFilter]>([
    [
      "transactions",
      '{"$gte":{"id":18446744073709551616}}',
      { kind: "number", key: "id", operator: "$gte", value: 18_446_744_073_709_551_616n },
    ],
    [
      "transactions",
      '{"$lt":{"timestamp":"2026-03-01T13:30:00.0000005+04:00"}}',
      {
        kind: "date",
        key: "timestamp",
        operator: "$lt",
        value: "2026-03-01T09:30:00.000001Z" as never,
      },
    ],
    [
      "transactions",
      '{"$match":{"reverted":false}}',
      { kind: "boolean", key: "reverted", value: false },
    ],
    ["transactions", '{"$in":{"reference":[]}}', { kind: "text", key: "reference", values: [] }],
    [
      "transactions",
      '{"$match":{"account":"users::main:..."}}',
      {
        kind: "address",
        key: "account",
        patterns: [{ segments: ["users", "", "main"], isOpen: true }],
      },
    ],
    [
      "accounts",
      '{"$like":{"address":"users:%"}}',
      { kind: "addressLike", key: "address", pattern: "users:%" },
    ],
    [
      "accounts",
      '{"$match":{"metadata[a]b[c]":"x"}}',
      { kind: "metadata", name: "a]b[c", values: ["x"] },
    ],
    [
      "accounts",
      '{"$match":{"metadata[__proto__]":""}}',
      { kind: "metadata", name: "__proto__", values: [""] },
    ],
    [
      "accounts",
      '{"$match":{"metadata[a\\nb]":"x"}}',
      { kind: "metadata", name: "a\nb", values: ["x"] },
    ],
    ["accounts", '{"$in":{"metadata[k]":["x"]}}', { kind: "metadata", name: "k", values: ["x"] }],
    [
      "accounts",
      '{"$like":{"metadata[k]":"x%"}}',
      { kind: "metadataLike", name: "k", pattern: "x%" },
    ],
    ["accounts", '{"$exists":{"metadata":"k"}}', { kind: "metadataExists", name: "k" }],
    ["accounts", '{"$match":{"metadata":"k"}}', { kind: "metadataExists", name: "k" }],
    ["accounts", '{"$exists":{"metadata[k]":true}}', { kind: "metadataExists", name: "k" }],
    [
      "accounts",
      '{"$exists":{"metadata[k]":false}}',
      { kind: "not", filter: { kind: "metadataExists", name: "k" } },
    ],
    [
      "volumes",
      '{"$exists":{"balance[EUR]":false}}',
      { kind: "not", filter: { kind: "balanceExists", asset: "EUR" } },
    ],
  ])("a test of %s is parsed: %s", (resource, text, filter) => {
    expect(parseLedgerFilter(resource, text)).toEqual(filter);
  });

  test.each<[FilteredResource, unknown, string]>([
    [
      "transactions",
      { $match: { id: "1" } },
      "'1' for property 'id': expected numeric value, got string",
    ],
    ["transactions", { $match: { id: true } }, "expected numeric value, got boolean"],
    [
      "transactions",
      { $match: { reverted: "yes" } },
      "'yes' for property 'reverted': expected boolean value, got string",
    ],
    ["transactions", { $match: { reverted: 1 } }, "expected boolean value, got number"],
    [
      "transactions",
      { $match: { reference: 5 } },
      "'5' for property 'reference': expected string value, got number",
    ],
    ["transactions", { $match: { reference: true } }, "expected string value, got boolean"],
    ["transactions", { $like: { reference: 5 } }, "expected string value, got number"],
    ["transactions", { $in: { reference: [1] } }, "expected string value, got number"],
    ["transactions", { $in: { reference: "x" } }, "$in takes a list of values for 'reference'"],
    ["transactions", { $match: { account: ["a"] } }, "must be a text, an integer or a boolean"],
    [
      "transactions",
      { $match: { timestamp: "now" } },
      "'now' for property 'timestamp': expected an RFC 3339 date with zone",
    ],
    [
      "transactions",
      { $match: { timestamp: "2026-03-01T09:30:00" } },
      "expected an RFC 3339 date with zone",
    ],
    ["transactions", { $match: { timestamp: 5 } }, "expected string value, got number"],
    [
      "transactions",
      { $in: { account: ["users:1", "users:"] } },
      "'users:' for property 'account': $in takes full addresses",
    ],
    ["accounts", { $in: { address: ["..."] } }, "$in takes full addresses"],
    [
      "accounts",
      { $match: { address: 5 } },
      "'5' for property 'address': expected string value, got number",
    ],
    ["accounts", { $match: { "balance[USD]": "5" } }, "expected numeric value, got string"],
    ["accounts", { $match: { "metadata[k]": 5 } }, "expected string value, got number"],
    ["accounts", { $exists: { "metadata[k]": "x" } }, "expected boolean value, got string"],
    ["accounts", { $exists: { metadata: true } }, "expected string value, got boolean"],
    ["accounts", { $exists: { "balance[USD]": "x" } }, "expected boolean value, got string"],
    ["accounts", { $exists: { balance: true } }, "expected string value, got boolean"],
    [
      "transactions",
      { $like: { reference: "x".repeat(LIKE_LENGTH_MAX + 1) } },
      "pattern for 'reference' is longer",
    ],
    [
      "accounts",
      { $like: { address: "x".repeat(LIKE_LENGTH_MAX + 1) } },
      "pattern for 'address' is longer",
    ],
    [
      "accounts",
      { $like: { "metadata[k]": "x".repeat(LIKE_LENGTH_MAX + 1) } },
      "pattern for 'metadata[k]' is longer",
    ],
  ])("a test of %s, %j, is refused", (resource, filter, why) => {
    expect(refusalOf(resource, filter)).toContain(why);
  });

  test("a test of a filter is checked at any depth", () => {
    const bad = { $match: { nope: 1 } };
    for (const filter of [{ $not: bad }, { $and: [bad] }, { $or: [{ $match: { id: 1 } }, bad] }]) {
      expect(refusalOf("transactions", filter)).toContain("unknown key 'nope'");
    }
  });

  test("a test of any form is parsed or refused, and nothing else happens", () => {
    const key = fc.constantFrom(
      "id",
      "reference",
      "timestamp",
      "reverted",
      "account",
      "metadata",
      "metadata[k]",
      "balance[USD]",
      "nope",
    );
    const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
    const leaf = fc
      .tuple(fc.constantFrom(...OPERATORS), key, fc.oneof(value, fc.array(value)))
      .map(([operator, name, operand]) => ({ [operator]: { [name]: operand } }));
    const resource = fc.constantFrom(...RESOURCES);
    fc.assert(
      fc.property(resource, fc.oneof(leaf, fc.array(leaf)), (name, filter) => {
        const whole = Array.isArray(filter) ? { $or: filter } : filter;
        const parsed = attempt(() => parse(name, whole));
        expect(parsed.ok || parsed.failure.kind === "VALIDATION").toBe(true);
      }),
      { numRuns: runsOf(2000) },
    );
  });
});

test.each([undefined, "", "null", "{}", '{"$and":[]}'])("the text %j is no filter", (text) => {
  expect(parseLedgerFilter("accounts", text)).toBeUndefined();
});

test("a text that is not a filter is refused", () => {
  expect(() => parseLedgerFilter("accounts", "nope")).toThrow(AppError);
});

test("a text that was parsed before gives the filter of its resource, which nobody can change", () => {
  const text = '{"$match":{"address":"users:1"}}';
  const [first, second] = [
    parseLedgerFilter("accounts", text),
    parseLedgerFilter("accounts", text),
  ];
  expect(second).toBe(first);
  expect(Object.isFrozen(first)).toBe(true);
  expect(parseLedgerFilter("volumes", text)).toEqual(first);
  for (let time = 0; time < 2; time++) {
    expect(() => parseLedgerFilter("transactions", text)).toThrow(AppError);
  }
});
