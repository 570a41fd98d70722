import { describe, expect, test } from "vitest";
import type { Command } from "#ledger-engine/rules/types.ts";
import {
  create,
  deleteMetadata,
  element,
  insertSchema,
  posting,
  revert,
  script,
  setMetadata,
  template,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";
import { audited } from "#test/support/ledger-engine/in-node.ts";
import {
  CHART,
  paidLedger,
  refusalTextOf,
  SchemaLedger,
} from "#test/support/ledger-engine/schema-ledgers.ts";

const v1 = { schema: "v1" };

/** A command of each kind that needs no template and is allowed after one payment. */
const COMMANDS: Record<string, Command> = {
  create: create(posting("world -> users:2", 5)),
  script: script("send [USD 5] (\n  source = @world\n  destination = @users:2\n)"),
  revert: revert(1),
  "set account metadata": setMetadata("users:1", { k: "v" }),
  "set transaction metadata": setMetadata(1, { k: "v" }),
  "delete account metadata": deleteMetadata("users:1", "tier"),
  "delete transaction metadata": deleteMetadata(1, "seen"),
};

const UNKNOWN = "schema version `v9` not found, latest available version is `v2`";
const UNNAMED =
  "a schema version must be specified for this ledger, latest available version is v2";

describe("a schema version on a write", () => {
  test.each(Object.entries(COMMANDS))(
    "a write may name a schema version that exists: %s, in both modes",
    (_, command) => {
      for (const isStrict of [true, false]) {
        const ledger = paidLedger({ isStrict });
        ledger.run(command, v1);
        expect(ledger.logs().at(-1)?.schemaVersion).toBe("v1");
        expect(ledger.told).toEqual([]);
        expect(audited(ledger).differences).toEqual([]);
      }
    },
  );

  test.each(Object.entries(COMMANDS))(
    "an unknown schema version on a write is refused in both modes: %s",
    (_, command) => {
      for (const isStrict of [true, false]) {
        const ledger = paidLedger({ isStrict });
        const before = ledger.dump();
        const run = () => ledger.run(command, { schema: "v9" });
        expect(refusalTextOf(run)).toBe(`NOT_FOUND: ${UNKNOWN}`);
        expect(ledger.dump()).toBe(before);
        expect(ledger.told).toEqual([]);
      }
    },
  );

  test.each(Object.entries(COMMANDS))(
    "a write without a schema version is refused when strict: %s",
    (_, command) => {
      const strict = paidLedger();
      const before = strict.dump();
      expect(refusalTextOf(() => strict.run(command))).toBe(`SCHEMA_NOT_SPECIFIED: ${UNNAMED}`);
      expect(strict.dump()).toBe(before);

      const auditing = paidLedger({ isStrict: false });
      auditing.run(command);
      expect(auditing.told).toEqual([UNNAMED]);
      expect(auditing.logs().at(-1)).not.toHaveProperty("schemaVersion");
    },
  );

  test("a schema version on a write is not needed if the ledger has no schema, and must not be given then", () => {
    for (const isStrict of [true, false]) {
      const told: string[] = [];
      const report = (violation: string) => void told.push(violation);
      const ledger = new TestLedger({ settings: { schemas: { isStrict, report } } });
      ledger.commit(create(posting("world -> anything", 5)));
      expect(told).toEqual([]);
      expect(refusalTextOf(() => ledger.run(setMetadata("a", {}), v1))).toBe(
        "NOT_FOUND: schema version `v1` not found, this ledger doesn't have a schema",
      );
    }
  });

  test("a schema version on a write is never needed to insert a schema, and is recorded if it is given", () => {
    const ledger = new SchemaLedger();
    ledger.run(insertSchema("v3", { chart: {} }));
    ledger.run(insertSchema("v4", { chart: {} }), { schema: "v3" });
    expect(ledger.logs().map(({ schemaVersion }) => schemaVersion)).toEqual([
      undefined,
      undefined,
      undefined,
      "v3",
    ]);
    const insert = () => ledger.run(insertSchema("v5", { chart: {} }), { schema: "v9" });
    expect(refusalTextOf(insert)).toMatch(/^NOT_FOUND: /);
    expect(audited(ledger).differences).toEqual([]);
  });

  test("a schema version on a write is not reported as missing by a write that is refused for another reason, or a replay", () => {
    const ledger = paidLedger({ isStrict: false });
    expect(refusalTextOf(() => ledger.run(revert(99)))).toMatch(/^NOT_FOUND: /);
    const elements = [create(posting("nobody -> world", 5)), setMetadata("a", {})];
    ledger.bulk(elements, { continueOnFailure: true });
    expect(ledger.told).toEqual([UNNAMED]);
    ledger.run(setMetadata("a", {}), { key: "k" });
    ledger.run(setMetadata("a", {}), { key: "k" });
    expect(ledger.told).toEqual([UNNAMED, UNNAMED]);
  });

  test("a schema version on a write may be that of the last schema, or of an earlier one, after an eviction too", () => {
    const ledger = paidLedger();
    ledger.open();
    ledger.commit(create(posting("world -> users:1", 5)), v1);
    ledger.run(setMetadata("users:1", {}), { schema: "v2" });
    expect(refusalTextOf(() => ledger.run(setMetadata("users:1", {})))).toContain("is v2");
  });
});

/** Postings that the chart forbids, each with its message. */
const VIOLATIONS = [
  [
    "world -> users:x",
    "segment `x` defined by the chart of accounts at `users` does not match the pattern",
  ],
  ["world -> shops:1", "account starting with `shops` is not defined in the chart of accounts"],
  ["world -> bank", "account `bank` is not defined in the chart of accounts"],
  [
    "world -> users:1, users:1 -> bank:main:eur",
    "segment `eur` is not allowed by the chart of accounts at `bank:main`",
  ],
  [
    "world -> users:1, x:y -> z",
    "account starting with `x` is not defined in the chart of accounts",
  ],
] as const;

const toCreate = (ways: string) =>
  create(ways.split(", ").map((way) => posting(way, way.startsWith("x") ? 0 : 5)));

describe("a transaction that the chart does not allow", () => {
  test.each(VIOLATIONS)(
    "%s against the chart is refused when strict, with rule and account",
    (ways, what) => {
      const ledger = paidLedger();
      const before = ledger.dump();
      expect(refusalTextOf(() => ledger.commit(toCreate(ways), v1))).toBe(
        `VALIDATION: schema version [v1]: ${what}`,
      );
      expect(ledger.dump()).toBe(before);
      // The refused write has used up the id of the transaction, but not the id of the log entry.
      expect(ledger.run(create(posting("world -> users:1", 1)), v1)).toMatchObject({
        logId: 4,
        transaction: { id: 3 },
      });
    },
  );

  test.each(VIOLATIONS)(
    "%s against the chart is accepted when not strict, and reported",
    (ways, what) => {
      const ledger = paidLedger({ isStrict: false });
      const command = toCreate(ways);
      const { id } = ledger.commit(command, v1);
      expect(ledger.transaction(id).postings).toEqual(command.postings);
      expect(ledger.told).toEqual([`schema version [v1]: ${what}`]);
      expect(audited(ledger).differences).toEqual([]);
    },
  );

  test("a transaction that the chart does not allow may come from a script", () => {
    const ledger = paidLedger();
    const plain = "send [USD 1] (\n  source = @world\n  destination = @shops:1\n)";
    expect(refusalTextOf(() => ledger.commit(script(plain), v1))).toMatch(
      /^VALIDATION: schema version \[v1\]: account starting with `shops`/,
    );
  });

  test("a transaction that the chart does not allow fails alone in a bulk, and fails a whole atomic one", () => {
    const elements = [
      create(posting("world -> users:1", 1)),
      create(posting("world -> shops:1", 1)),
      create(posting("world -> users:1", 1)),
    ];
    const ledger = paidLedger();
    const results = ledger.bulk(elements, { continueOnFailure: true, ...v1 });
    expect(results.map((it) => (typeof it === "string" ? it : it.logId))).toEqual([
      4,
      "VALIDATION",
      5,
    ]);
    const before = ledger.dump();
    expect(ledger.bulk(elements, { atomic: true, ...v1 }).at(-1)).toBe("VALIDATION");
    expect(ledger.dump()).toBe(before);
    expect(audited(ledger).differences).toEqual([]);
  });

  test("a transaction that the chart does not allow is not checked for in metadata and reverts", () => {
    const ledger = paidLedger();
    ledger.run(setMetadata("shops:1", { k: "v" }), v1);
    ledger.run(
      create(posting("world -> users:1", 1), { accountMetadata: { "shops:2": { k: "v" } } }),
      v1,
    );
    const auditing = paidLedger({ isStrict: false });
    auditing.commit(create(posting("world -> shops:1", 1)));
    auditing.commit(revert(2), v1);
    expect(auditing.told).toEqual([UNNAMED]);
    expect(ledger.account("shops:1")?.metadata).toEqual({ k: "v" });
  });
});

describe("a dry run by a schema", () => {
  test("a dry run by a schema answers as the write would, and leaves nothing", () => {
    const ledger = paidLedger();
    const before = ledger.dump();
    const dry = { dryRun: true, ...v1 };
    expect(ledger.commit(create(posting("world -> users:7", 5)), dry)).toMatchObject({ id: 2 });
    ledger.run(insertSchema("v3", { chart: {} }), { dryRun: true });
    ledger.run(setMetadata("users:8", {}), dry);
    expect(refusalTextOf(() => ledger.run(create(posting("world -> x", 5)), dry))).toMatch(
      /^VALIDATION: schema version \[v1\]: /,
    );
    expect(refusalTextOf(() => ledger.run(insertSchema("v1", { chart: {} }), dry))).toMatch(
      /^SCHEMA_ALREADY_EXISTS: /,
    );
    expect(ledger.dump()).toBe(before);
    expect(refusalTextOf(() => ledger.run(setMetadata("a", {}), { schema: "v3" }))).toMatch(
      /^NOT_FOUND: /,
    );
    // The dry runs used up the ids of two transactions and three entries.
    expect(ledger.run(create(posting("world -> users:1", 1)), v1)).toMatchObject({
      logId: 7,
      transaction: { id: 4 },
    });
  });
});

describe("a bulk", () => {
  test("a bulk may insert a schema and name it, even one whose insertion is undone", () => {
    const ledger = new TestLedger();
    const insertion = insertSchema("v1", { chart: CHART });
    const results = ledger.bulk([insertion, insertion, setMetadata("users:1", {})], {
      continueOnFailure: true,
    });
    expect(results[1]).toBe("SCHEMA_ALREADY_EXISTS");
    ledger.bulk([insertSchema("v2", { chart: CHART }), revert(99)], { atomic: true, ...v1 });
    expect(ledger.schemas().map(({ version }) => version)).toEqual(["v1"]);
    expect(refusalTextOf(() => ledger.run(setMetadata("a", {}), { schema: "v2" }))).toBe(
      "NOT_FOUND: schema version `v2` not found, latest available version is `v1`",
    );
    ledger.run(insertSchema("v2", { chart: {} }), v1);
    ledger.run(setMetadata("users:2", {}), { schema: "v2" });
    expect(ledger.account("users:2")?.metadata).toEqual({});
    expect(audited(ledger).differences).toEqual([]);
  });

  test("a bulk names its schema for all elements, those with keys too", () => {
    const ledger = new SchemaLedger();
    const elements = [element(setMetadata("users:1", {}), "k1"), element(setMetadata("a", {}))];
    ledger.bulk(elements, v1);
    ledger.bulk(elements, { schema: "v2" });
    expect(ledger.logs().map(({ schemaVersion = "" }) => schemaVersion)).toEqual([
      "",
      "",
      "v1",
      "v1",
      "v2",
    ]);
    expect(ledger.bulk(elements, { schema: "v9", continueOnFailure: true })).toMatchObject([
      { isReplay: true },
      "NOT_FOUND",
    ]);
    expect(ledger.bulk([template("pay")], v1)).toEqual(["VALIDATION"]);
  });
});
