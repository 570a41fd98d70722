import { describe, expect, test } from "vitest";
import type { Command } from "#ledger-engine/rules/types.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import { expectSound } from "#test/support/ledger-engine/audit.ts";
import { FaultySql, StorageFault } from "#test/support/ledger-engine/faults.ts";
import {
  at,
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

/**
 * A ledger with data of every kind, on storage that can be made to fail. Its engine has written the data itself, so that its
 * caches are full when a fault comes.
 */
function ledgerWithHistory(): { ledger: TestLedger; sql: FaultySql } {
  const sql = new FaultySql(new NodeSql());
  const ledger = new TestLedger({ sql, now: at("13:00") });
  ledger.commit(create(posting("world -> a", 100), { metadata: { k: "v" }, reference: "r1" }));
  ledger.commit(create([posting("a -> b", 30), posting("world -> a", 10n ** 30n, "BTC/8")]));
  ledger.run(setMetadata("a", { k: "v" }), { key: "k1" });
  ledger.run(setMetadata(2, { past: "1" }));
  ledger.run(setMetadata(2, { past: "2" }));
  ledger.run(deleteMetadata("a", "k"));
  ledger.run(setMetadata("a", { k: "w" }));
  ledger.run(insertSchema("v1", { chart: CHART }));
  ledger.run(insertSchema("v2", { chart: CHART, transactions: { pay: { script: PAY } } }));
  return { ledger, sql };
}

/** A chart with default metadata for new users, which the ledger has stored before. */
const CHART = { world: {}, users: { $id: { ".metadata": { k: { default: "v" } } } } };
const PAY = "vars {\n  account $to\n}\nsend [GBP 5] (\n  source = @world\n  destination = $to\n)";

const NEW = create([posting("world -> new:1", 5, "GBP"), posting("a -> b", 1)], {
  reference: "r2",
  metadata: { k: "v" },
  accountMetadata: { "new:2": { k: "v" }, a: { l: "w" } },
});
const BACK_DATED = create([posting("world -> a", 5), posting("a -> c", 70)], {
  timestamp: at("09:00"),
});

const COMMANDS: Record<string, Command> = {
  create: NEW,
  "create in the past": BACK_DATED,
  revert: revert(2),
  "revert at the effective date": revert(2, { atEffectiveDate: true }),
  script: script(
    'vars {\n  string $k = meta(@a, "k")\n}\nsend [USD *] (\n  source = @a\n  destination = {\n    1/3 to @new:1\n    remaining to @new:2\n  }\n)\nset_tx_meta("k", $k)\nset_account_meta(@new:2, "k", $k)\n',
    { timestamp: at("09:00") },
  ),
  "set transaction metadata": setMetadata(1, { l: "w" }),
  "delete transaction metadata": deleteMetadata(1, "k"),
  "set account metadata": setMetadata("a", { l: "w" }),
  "delete account metadata": deleteMetadata("a", "k"),
  "set metadata that was there before": setMetadata(2, { past: "1", new: "1" }),
  "set account metadata that was there before": setMetadata("a", { k: "v" }),
};

/** Commands that name a schema, each with the version of the schema. */
const BY_SCHEMAS: Record<string, [Command, string]> = {
  "insert schema": [insertSchema("v3", { chart: CHART }), "v1"],
  "create by a template": [template("pay", { to: "users:1" }, { timestamp: at("09:00") }), "v2"],
  "create with default metadata": [
    create(posting("world -> users:1", 5), { accountMetadata: { "users:2": { l: "w" } } }),
    "v1",
  ],
  "set metadata with defaults": [setMetadata("users:1", { l: "w" }), "v1"],
};

type Write = (ledger: TestLedger) => unknown;

const WRITES: [string, Write][] = [
  ...Object.entries(COMMANDS).map(([name, command]): [string, Write] => [
    name,
    (ledger) => ledger.run(command, { key: "k2" }),
  ]),
  ...Object.entries(BY_SCHEMAS).map(([name, [command, schema]]): [string, Write] => [
    name,
    (ledger) => ledger.run(command, { key: "k2", schema }),
  ]),
  ...[false, true].map((atomic): [string, Write] => [
    atomic ? "atomic bulk by a schema" : "bulk by a schema",
    (ledger) =>
      ledger.bulk(
        [
          create(posting("world -> users:1", 5)),
          insertSchema("v3", { chart: CHART }),
          element(setMetadata("users:2", {}), "k2"),
          insertSchema("v4", { chart: {} }),
          create(posting("users:1 -> users:2", 5)),
        ],
        { atomic, schema: "v1" },
      ),
  ]),
  ...[false, true].map((atomic): [string, Write] => [
    atomic ? "atomic bulk" : "bulk",
    (ledger) =>
      ledger.bulk(
        [
          NEW,
          element(create(posting("new:1 -> d", 5, "GBP")), "k2"),
          element(create(posting("new:1 -> d", 5, "GBP")), "k2"),
          setMetadata(3, { l: "w" }),
          BACK_DATED,
          revert(3),
          deleteMetadata("a", "k"),
          setMetadata("a", { k: "v" }),
          setMetadata(2, { past: "1" }),
          deleteMetadata(2, "past"),
        ],
        { atomic },
      ),
  ]),
];

/** The number of storage operations of a write. */
function countOperations(write: Write): number {
  const { ledger, sql } = ledgerWithHistory();
  sql.arm(Number.POSITIVE_INFINITY);
  write(ledger);
  return sql.count;
}

describe.each(WRITES)("storage that fails during %s", (_, write) => {
  const operations = countOperations(write);
  const expected = ledgerWithHistory().ledger;
  write(expected);

  /** Makes the n-th operation fail, and then repeats the write. */
  function failAndRepeat(n: number, { evict }: { evict: boolean }): TestLedger {
    const { ledger, sql } = ledgerWithHistory();
    const { now } = ledger;
    const before = ledger.dump();
    sql.arm(n);
    expect(() => write(ledger)).toThrow(StorageFault);
    expect(ledger.dump()).toBe(before);
    if (evict) ledger.open();
    ledger.now = now;
    write(ledger);
    return ledger;
  }

  test("a write whose storage fails leaves everything as it was, and the ledger goes on", () => {
    expect(operations).toBeGreaterThan(1);
    for (let n = 1; n <= operations; n++) expectSound(failAndRepeat(n, { evict: false }));
  });

  test("a write whose storage fails leaves no trace after an eviction: the repeated write makes the same rows", () => {
    for (let n = 1; n <= operations; n++) {
      expect(failAndRepeat(n, { evict: true }).dump()).toBe(expected.dump());
    }
  });
});
