import { describe, expect, test } from "vitest";
import type { StoredSchema } from "#ledger-engine/rules/types.ts";
import { stringifyJson } from "#platform/json.ts";
import type { SortColumns } from "#platform/paging/cursor.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import { FaultySql } from "#test/support/ledger-engine/faults.ts";
import {
  ALL,
  at,
  insertSchema,
  setMetadata,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";
import { refusalTextOf } from "#test/support/ledger-engine/schema-ledgers.ts";
import { walk } from "#test/support/ledger-engine/walks.ts";

const COLUMNS: SortColumns = { created_at: "date", version: "text" };

/** Versions of schemas in the order of their insertion. The second to the fourth have the same date. */
const VERSIONS = ["v1", "v10", "v2", "B", "a", "é", "__proto__"];
const BY_BYTES = ["B", "__proto__", "a", "v1", "v10", "v2", "é"];

function ledgerOfSeven(): TestLedger {
  const ledger = new TestLedger();
  const insertions = VERSIONS.map((version) => insertSchema(version, { chart: {} }));
  ledger.bulk(insertions.slice(0, 1));
  ledger.bulk(insertions.slice(1, 4), { atomic: true });
  for (const insertion of insertions.slice(4)) ledger.run(insertion);
  return ledger;
}

const versionsOf = (schemas: readonly StoredSchema[]): string[] =>
  schemas.map(({ version }) => version);

/** Versions of schemas by their dates, oldest first unless the query has another order. */
const listOf = (ledger: TestLedger, query: Partial<PageQuery>): string[] =>
  versionsOf(
    ledger.engine.reads.listSchemas({ ...ALL, column: "created_at", ...query } as PageQuery).data, // `ALL` with a column is a column query
  );

describe("a list of schemas", () => {
  test("a list of schemas is empty where there are none", () => {
    const page = new TestLedger().engine.reads.listSchemas({ ...ALL, column: "created_at" });
    expect(page).toEqual({ pageSize: 10_000, hasMore: false, data: [] });
  });

  test("a list of schemas is sorted by date, then by entry, or by version in the order of bytes", () => {
    const ledger = ledgerOfSeven();
    expect(listOf(ledger, {})).toEqual(VERSIONS);
    expect(listOf(ledger, { order: "desc" })).toEqual(VERSIONS.toReversed());
    expect(listOf(ledger, { column: "version" })).toEqual(BY_BYTES);
    expect(listOf(ledger, { column: "version", order: "desc" })).toEqual(BY_BYTES.toReversed());
  });

  test.each([
    ["created_at", "asc", VERSIONS],
    ["created_at", "desc", VERSIONS.toReversed()],
    ["version", "asc", BY_BYTES],
    ["version", "desc", BY_BYTES.toReversed()],
  ] as const)("schemas are walked by %s %s both ways, in any pages", async (column, order, all) => {
    const ledger = ledgerOfSeven();
    const read = async (query: PageQuery) => ledger.engine.reads.listSchemas(query);
    for (const pageSize of [1, 2, 3, 6, 7, 8]) {
      const walked = await walk(read, { columns: COLUMNS, column, order, pageSize });
      expect(versionsOf(walked.forward.flat())).toEqual(all);
      expect(walked.backward.toReversed().map(versionsOf)).toEqual(
        walked.forward.slice(0, -1).map(versionsOf),
      );
    }
  });

  test("a list of schemas is read by offset, too", () => {
    const ledger = ledgerOfSeven();
    const query = { ...ALL, kind: "offset", column: "version", pageSize: 3, offset: 3 } as const;
    const page = ledger.engine.reads.listSchemas(query);
    expect(versionsOf(page.data)).toEqual(BY_BYTES.slice(3, 6));
    expect([page.hasMore, page.previous, page.next].map(Boolean)).toEqual([true, true, true]);
  });

  test.each([
    [{ $match: { version: "v1" } }, ["v1"]],
    [{ $match: { version: "v" } }, []],
    [{ $like: { version: "v%" } }, ["v1", "v10", "v2"]],
    [{ $like: { version: "_" } }, ["B", "a", "é"]],
    [{ $in: { version: ["a", "v2", "none"] } }, ["v2", "a"]],
    [{ $not: { $like: { version: "v%" } } }, ["B", "a", "é", "__proto__"]],
    [{ $or: [{ $match: { version: "a" } }, { $match: { version: "v1" } }] }, ["v1", "a"]],
    [{ $and: [] }, VERSIONS],
    [{ $match: { created_at: "2026-03-01T14:00:02+04:00" } }, ["v10", "v2", "B"]],
    [{ $lt: { created_at: "2026-03-01T10:00:02Z" } }, ["v1"]],
    [{ $lte: { created_at: "2026-03-01T10:00:02Z" } }, VERSIONS.slice(0, 4)],
    [{ $gt: { created_at: "2026-03-01T10:00:02Z" } }, VERSIONS.slice(4)],
    [{ $gte: { created_at: "2026-03-01T10:00:02.000001Z" } }, VERSIONS.slice(4)],
  ])("a list of schemas shows what the filter %j matches", (where, versions) => {
    expect(listOf(ledgerOfSeven(), { where: stringifyJson(where) })).toEqual(versions);
  });

  test.each([
    { $match: { chart: "x" } },
    { $match: { createdAt: "2026-03-01T10:00:02Z" } },
    { $match: { version: 1 } },
    { $lt: { version: "v1" } },
    { $match: { created_at: "yesterday" } },
    { $like: { created_at: "2026%" } },
  ])("a list of schemas refuses the filter %j", (where) => {
    const list = () => listOf(ledgerOfSeven(), { where: stringifyJson(where) });
    expect(refusalTextOf(list)).toMatch(/^VALIDATION: /);
  });

  test("a list of schemas shows what existed at a point in time, with a filter and in pages", async () => {
    const ledger = ledgerOfSeven();
    const pit = at("10:00:02");
    expect(listOf(ledger, { pit })).toEqual(VERSIONS.slice(0, 4));
    const where = stringifyJson({ $like: { version: "v%" } });
    expect(listOf(ledger, { pit, where, order: "desc" })).toEqual(["v2", "v10", "v1"]);
    expect(listOf(ledger, { pit: at("10:00") })).toEqual([]);
  });

  test("a list of schemas ends a page before it gets too large, and the next one goes on there", async () => {
    const ledger = new TestLedger();
    const transactions = { t: { description: "x".repeat(480_000), script: "fail" } };
    const versions = Array.from({ length: 30 }, (_, index) => `v${index + 10}`);
    for (const version of versions) ledger.run(insertSchema(version, { chart: {}, transactions }));
    const read = async (query: PageQuery) => ledger.engine.reads.listSchemas(query);
    const options = { columns: COLUMNS, column: "version", order: "asc", pageSize: 100 } as const;
    const { forward } = await walk(read, options);
    expect(forward.length).toBeGreaterThan(1);
    expect(versionsOf(forward.flat())).toEqual(versions);
  });
});

describe("a schema", () => {
  test("a schema is found by its version, also after an eviction", () => {
    const ledger = ledgerOfSeven();
    const find = (version: string) => ledger.engine.reads.findSchema(version);
    expect(find("__proto__")).toEqual({
      version: "__proto__",
      createdAt: ledger.now,
      text: '{"chart":{}}',
    });
    expect([find("v"), find("V1"), find("")]).toEqual([undefined, undefined, undefined]);
    ledger.open();
    expect(find("é")?.version).toBe("é");
  });

  test("a schema is the latest if it was created last, or inserted last of those with the same date", () => {
    const ledger = new TestLedger();
    const told = () => refusalTextOf(() => ledger.run(setMetadata("a", {}), { schema: "x" }));
    expect(told()).toContain("this ledger doesn't have a schema");
    ledger.bulk(
      ["v9", "v1"].map((version) => insertSchema(version, { chart: {} })),
      { atomic: true },
    );
    expect(told()).toContain("latest available version is `v1`");
    ledger.open();
    expect(told()).toContain("latest available version is `v1`");
  });
});

describe("a ledger", () => {
  test("a ledger has room for 1000 schemas, with every version that has 1 to 255 characters", () => {
    const ledger = new TestLedger();
    const insertions = Array.from({ length: 1000 }, (_, index) =>
      insertSchema(`${index}`.padStart(255, "v"), { chart: {} }),
    );
    const results = ledger.bulk(insertions, { atomic: true });
    expect(results.filter((it) => typeof it === "string")).toEqual([]);
    const before = ledger.dump();
    expect(refusalTextOf(() => ledger.run(insertSchema("one more", { chart: {} })))).toBe(
      "VALIDATION: a ledger holds at most 1000 schemas",
    );
    // The insertion of an existing version is refused with its own error.
    expect(refusalTextOf(() => ledger.run(insertions[0] ?? insertSchema("", {})))).toMatch(
      /^SCHEMA_ALREADY_EXISTS: /,
    );
    expect(ledger.dump()).toBe(before);
    ledger.run(setMetadata("a", {}), { schema: "7".padStart(255, "v") });
    for (const version of ["", "v".repeat(256)]) {
      expect(refusalTextOf(() => insertSchema(version, { chart: {} }))).toMatch(/^VALIDATION: /);
    }
  });

  test("a ledger uses any of its schemas, however many there are", () => {
    const ledger = new TestLedger();
    for (let index = 0; index < 12; index++) {
      const metadata = { ".metadata": { by: { default: `${index}` } } };
      ledger.run(insertSchema(`v${index}`, { chart: { a: { $n: metadata } } }));
    }
    for (const round of [0, 1]) {
      for (let index = 0; index < 12; index++) {
        ledger.run(setMetadata(`a:${index}-${round}`, {}), { schema: `v${index}` });
        expect(ledger.account(`a:${index}-${round}`)?.metadata).toEqual({ by: `${index}` });
      }
    }
  });

  test("a ledger keeps few of them in memory, whether the writes that name them succeed or not", () => {
    const sql = new FaultySql(new NodeSql());
    const ledger = new TestLedger({ sql });
    const versions = Array.from({ length: 8 }, (_, index) => `v${index}`);
    for (const version of versions) ledger.run(insertSchema(version, { chart: {} }));
    /** The number of statements of a refused write. */
    const costOf = (schema: string): number => {
      sql.arm(Number.POSITIVE_INFINITY);
      expect(refusalTextOf(() => ledger.run(setMetadata(99, {}), { schema }))).toMatch(
        /^NOT_FOUND/,
      );
      return sql.count;
    };
    const first = versions.map(costOf);
    const again = versions.map(costOf);
    expect(again).toEqual(first);
    expect(costOf("v7")).toBeLessThan(costOf("v0"));
  });
});
