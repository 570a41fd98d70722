import { describe, expect, test } from "vitest";
import { resolveQuery } from "#ledger-engine/rules/schemas/queries.ts";
import { SchemaStore } from "#ledger-engine/storage/schema-store.ts";
import {
  create,
  element,
  insertSchema,
  posting,
  refusalOf,
  setMetadata,
  template,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";
import { messageOf, queryOf } from "#test/support/ledger-engine/schemas.ts";

const versions = Array.from({ length: 10 }, (_, index) => `v${index}`);

function ledgerOfVersions(): TestLedger {
  const ledger = new TestLedger();
  for (const version of versions) ledger.run(insertSchema(version, { chart: { [version]: {} } }));
  return ledger;
}

describe("the schemas that an object keeps in memory", () => {
  test("the schemas that an object keeps in memory are few, whether the writes that name them succeed or not", () => {
    const store = new SchemaStore(ledgerOfVersions().sql);
    const workOf = (version: string): number => {
      const before = store.steps;
      store.use(version);
      return store.steps - before;
    };
    for (const version of versions) expect(workOf(version)).toBeGreaterThan(0);
    // Only the schemas that were read last are in memory, even before a unit of work has ended.
    expect(workOf("v9")).toBe(0);
    expect(workOf("v0")).toBeGreaterThan(0);
  });

  test("the schemas that an object keeps in memory are the right ones, in any order of accepted and refused writes", () => {
    const ledger = ledgerOfVersions();
    for (const version of [...versions, ...versions.toReversed(), "v0", "v9", "v0"]) {
      expect(refusalOf(() => ledger.run(template("nope"), { schema: version }))).toBe("VALIDATION");
      ledger.run(setMetadata("a", { k: version }), { schema: version });
      expect(ledger.logs().at(-1)?.schemaVersion).toBe(version);
    }
  });
});

describe("the work of default metadata", () => {
  test("the work of default metadata counts in a bulk, even if its elements are refused", () => {
    const ledger = new TestLedger();
    const keys = Array.from(
      { length: 600 },
      (_, index) => [`k${index}`, { default: "v" }] as const,
    );
    const users = { $id: { ".metadata": Object.fromEntries(keys) } };
    ledger.run(insertSchema("v1", { chart: { world: {}, users } }));
    const large = create(
      Array.from({ length: 2000 }, (_, id) => posting(`world -> users:${id}`, 1)),
    );
    const before = ledger.dump();
    const elements = [element(large), element(large), element(large)];
    const bulk = { continueOnFailure: true, schema: "v1" };
    expect(refusalOf(() => ledger.bulk(elements, bulk))).toBe("BULK_SIZE_EXCEEDED");
    expect(ledger.dump()).toBe(before);
    expect(refusalOf(() => ledger.run(large, { schema: "v1" }))).toBe("VALIDATION");
    ledger.run(create(posting("world -> users:1", 1)), { schema: "v1" });
    ledger.run(create(posting("world -> users:2", 1)), { schema: "v1" });
    expect(Object.keys(ledger.account("users:2")?.metadata ?? {})).toHaveLength(600);
  });

  test("the work of default metadata shares no metadata among the accounts that it makes", () => {
    const ledger = new TestLedger();
    const users = { $id: { ".metadata": { tier: { default: "basic" } } } };
    ledger.run(insertSchema("v1", { chart: { world: {}, users } }));
    const both = [posting("world -> users:1", 1), posting("world -> users:2", 1)];
    ledger.run(create(both, { accountMetadata: { "users:1": { k: "v" } } }), { schema: "v1" });
    ledger.run(setMetadata("users:2", { tier: "gold" }));
    expect(ledger.account("users:1")?.metadata).toEqual({ k: "v", tier: "basic" });
    ledger.run(create(posting("world -> users:3", 1)), { schema: "v1" });
    expect(ledger.account("users:3")?.metadata).toEqual({ tier: "basic" });
  });
});

describe("the values of a query's variables", () => {
  const run = (body: object, type: string, value: unknown) => {
    const query = queryOf(JSON.stringify({ resource: "accounts", vars: { a: type }, body }));
    return messageOf(() => resolveQuery(query, { vars: { a: value } }));
  };
  const tooLong =
    "failed to resolve query template: with its variables, the filter is longer than 65536 characters";

  test("the values of a query's variables fill a filter up to its limit, however often they stand in it", () => {
    const once = { $match: { "metadata[k]": "$a" } };
    expect(run(once, "string", "x".repeat(65_536))).toBeUndefined();
    expect(run(once, "string", "x".repeat(65_537))).toBe(tooLong);
    const often = { $match: { "metadata[k]": "$a".repeat(20_000) } };
    expect(run(often, "string", "x")).toBeUndefined();
    expect(run(often, "string", "x".repeat(1_000_000))).toBe(tooLong);
    const list = { $in: { "metadata[k]": Array.from({ length: 1000 }, () => "$a") } };
    expect(run(list, "string", "x".repeat(65))).toBeUndefined();
    expect(run(list, "string", "x".repeat(66))).toBe(tooLong);
    const tests = Array.from({ length: 500 }, () => ({ $gt: { "balance[USD]": "${a}" } }));
    expect(run({ $or: tests }, "int", 10n ** 200n)).toBe(tooLong);
  });

  test("the values of a query's variables are refused in a filter that is too long without them", () => {
    const long = { $match: { "metadata[k]": "$a".repeat(40_000) } };
    expect(() => run(long, "string", "x")).toThrow("the filter is longer than 65536 characters");
  });
});
