import { describe, expect, test } from "vitest";
import type { Command, Features } from "#ledger-engine/rules/types.ts";
import { metadataHash } from "#ledger-engine/storage/metadata-index.ts";
import {
  create,
  deleteMetadata,
  posting,
  refusalOf,
  revert,
  script,
  setMetadata,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";
import { audited } from "#test/support/ledger-engine/in-node.ts";
import { expectedRows, storedRows } from "#test/support/ledger-engine/model/metadata-rows.ts";

const WITHOUT_HISTORY: Partial<Features> = {
  TRANSACTION_METADATA_HISTORY: "DISABLED",
  ACCOUNT_METADATA_HISTORY: "DISABLED",
};

function ledgerAfter(commands: readonly Command[], features: Partial<Features> = {}): TestLedger {
  const ledger = new TestLedger({ features });
  for (const command of commands) ledger.run(command);
  return ledger;
}

const rowsAfter = (...commands: readonly Command[]) => storedRows(ledgerAfter(commands));

/** Asserts that the stored rows are those that follow from the log, by the model and by an audit. */
function expectExact(ledger: TestLedger): void {
  expect(storedRows(ledger)).toEqual(expectedRows(ledger.logs(), ledger.engine.info.features));
  expect(audited(ledger).differences).toEqual([]);
}

test("the index has a key or value as the first 48 bits of SHA-256 of the UTF-8 text", () => {
  expect(metadataHash("abc")).toBe(0xba78_16bf_8f01);
  expect(metadataHash("")).toBe(0xe3b0_c442_98fc);
  expect(metadataHash("é")).toBe(metadataHash("\u00E9"));
  expect(metadataHash("é")).not.toBe(metadataHash("e\u0301"));
});

describe("pairs of a transaction", () => {
  test("metadata pairs of a transaction are those of its creation", () => {
    const make = create(posting("world -> a", 1), { metadata: { k: "1", __proto__x: "" } });
    expect(rowsAfter(make)).toEqual({
      index: ["transaction 1 __proto__x=", "transaction 1 k=1"],
      log: [],
    });
  });

  test("metadata pairs of a transaction may have any key", () => {
    const metadata = Object.fromEntries([
      ["__proto__", "1"],
      ["constructor", "2"],
      ["10", "3"],
    ]);
    const ledger = ledgerAfter([
      create(posting("world -> a", 1), { metadata }),
      setMetadata(1, Object.fromEntries([["__proto__", "2"]])),
      deleteMetadata(1, "constructor"),
    ]);
    expect(storedRows(ledger).index).toEqual([
      "past transaction 1 __proto__=1",
      "past transaction 1 constructor=2",
      "transaction 1 10=3",
      "transaction 1 __proto__=2",
    ]);
    expectExact(ledger);
  });

  test("metadata pairs of a transaction include those that a revert and a script set", () => {
    const ledger = ledgerAfter([
      script('send [USD 1] (\n  source = @world\n  destination = @a\n)\nset_tx_meta("k", "s")'),
      revert(1, { metadata: { why: "w" } }),
    ]);
    expect(storedRows(ledger).index).toEqual([
      "transaction 1 k=s",
      "transaction 2 com.formance.spec/state/reverts=1",
      "transaction 2 why=w",
    ]);
  });

  test("metadata pairs of a transaction are past when overwritten or deleted, and no more when they come back", () => {
    const make = create(posting("world -> a", 1), { metadata: { k: "1" } });
    const change = setMetadata(1, { k: "2", l: "1" });
    expect(rowsAfter(make, change)).toEqual({
      index: ["past transaction 1 k=1", "transaction 1 k=2", "transaction 1 l=1"],
      log: ["transaction 1 2"],
    });
    const remove = deleteMetadata(1, "l");
    expect(rowsAfter(make, change, remove)).toEqual({
      index: ["past transaction 1 k=1", "past transaction 1 l=1", "transaction 1 k=2"],
      log: ["transaction 1 2", "transaction 1 3"],
    });
    expect(rowsAfter(make, change, remove, setMetadata(1, { k: "1", l: "1" }))).toEqual({
      index: ["past transaction 1 k=2", "transaction 1 k=1", "transaction 1 l=1"],
      log: ["transaction 1 2", "transaction 1 3", "transaction 1 4"],
    });
  });

  test("metadata pairs of a transaction stay the same when an entry changes nothing, but the entry is recorded", () => {
    const make = create(posting("world -> a", 1), { metadata: { k: "1" } });
    expect(rowsAfter(make, setMetadata(1, { k: "1" }), setMetadata(1, {}))).toEqual({
      index: ["transaction 1 k=1"],
      log: ["transaction 1 2", "transaction 1 3"],
    });
  });
});

describe("pairs of an account", () => {
  test("metadata pairs of an account are set by transactions and by entries about it", () => {
    const pays = create(posting("world -> a", 1), {
      accountMetadata: { a: { k: "1" }, only: { k: "1", l: "2" }, empty: {} },
    });
    const ledger = ledgerAfter([
      pays,
      setMetadata("a", { k: "2" }),
      setMetadata("new", { k: "2" }),
    ]);
    expect(storedRows(ledger)).toEqual({
      index: [
        "account a k=2",
        "account new k=2",
        "account only k=1",
        "account only l=2",
        "past account a k=1",
      ],
      log: ["account a 1", "account a 2", "account empty 1", "account new 3", "account only 1"],
    });
    expectExact(ledger);
  });

  test("metadata pairs of an account are past when overwritten or deleted, and no more when they come back", () => {
    const set = setMetadata("a", { k: "1" });
    const other = setMetadata("a", { k: "2" });
    expect(rowsAfter(set, other, deleteMetadata("a", "k")).index).toEqual([
      "past account a k=1",
      "past account a k=2",
    ]);
    expect(rowsAfter(set, other, deleteMetadata("a", "k"), set).index).toEqual([
      "account a k=1",
      "past account a k=2",
    ]);
  });

  test("a deletion of an account's metadata is recorded if the account exists, whatever it deletes", () => {
    const remove = deleteMetadata("a", "k");
    const pays = create(posting("world -> a", 1));
    expect(rowsAfter(remove, pays, remove, remove)).toEqual({
      index: [],
      log: ["account a 3", "account a 4"],
    });
  });
});

describe("a ledger that keeps no history of metadata", () => {
  const run = [
    create(posting("world -> a", 1), { metadata: { k: "1" }, accountMetadata: { a: { k: "1" } } }),
    setMetadata(1, { k: "2" }),
    setMetadata("a", { k: "2" }),
    setMetadata(1, { l: "1" }),
    deleteMetadata(1, "l"),
    deleteMetadata("a", "k"),
    deleteMetadata("nobody", "k"),
    setMetadata("a", { k: "3" }),
  ];

  test("a ledger that keeps no history of metadata has the current pairs and no others", () => {
    const ledger = ledgerAfter(run, WITHOUT_HISTORY);
    expect(storedRows(ledger)).toEqual({
      index: ["account a k=3", "transaction 1 k=2"],
      log: [],
    });
    expectExact(ledger);
  });

  test.each(["TRANSACTION_METADATA_HISTORY", "ACCOUNT_METADATA_HISTORY"] as const)(
    "a ledger that keeps no history of metadata of one kind still keeps that of the other: %s",
    (feature) => {
      const ledger = ledgerAfter(run, { [feature]: "DISABLED" });
      const { index, log } = storedRows(ledger);
      const [kept, left] =
        feature === "ACCOUNT_METADATA_HISTORY"
          ? ["transaction", "account"]
          : ["account", "transaction"];
      expect(index.some((row) => row.startsWith(`past ${kept}`))).toBe(true);
      expect(index.some((row) => row.startsWith(`past ${left}`))).toBe(false);
      expect(log.every((row) => row.startsWith(kept ?? ""))).toBe(true);
      expectExact(ledger);
    },
  );
});

describe("what a unit of work does to a pair", () => {
  const account = [
    setMetadata("a", { k: "1" }),
    setMetadata("a", { k: "2" }),
    deleteMetadata("a", "k"),
    setMetadata("a", { k: "1" }),
    setMetadata("a", { l: "1" }),
    deleteMetadata("a", "l"),
  ];
  const transaction = [
    create(posting("world -> b", 1), { metadata: { k: "1" } }),
    setMetadata(1, { k: "2" }),
    deleteMetadata(1, "k"),
    setMetadata(1, { k: "2", l: "2" }),
    setMetadata(1, { l: "1" }),
  ];

  test.each([true, false])("the last value of a pair counts in an atomic bulk: %s", (atomic) => {
    const ledger = new TestLedger();
    ledger.bulk([...transaction, ...account], { atomic });
    expect(storedRows(ledger).index).toEqual([
      "account a k=1",
      "past account a k=2",
      "past account a l=1",
      "past transaction 1 k=1",
      "past transaction 1 l=2",
      "transaction 1 k=2",
      "transaction 1 l=1",
    ]);
    expectExact(ledger);
    ledger.bulk([...account.toReversed(), setMetadata("a", { k: "2" })], { atomic });
    expectExact(ledger);
  });

  test("the changes of a pair in a unit of work are those of one write after the other", () => {
    const [bulk, single] = [new TestLedger(), new TestLedger()];
    bulk.bulk([...transaction, ...account]);
    for (const command of [...transaction, ...account]) single.run(command);
    expect(storedRows(bulk)).toEqual(storedRows(single));
  });

  test("the changes of a pair in a unit of work are undone with it: dry runs, refusals and failed bulks leave nothing", () => {
    const ledger = ledgerAfter([...transaction, ...account]);
    const before = ledger.dump();
    for (const command of [...account, ...transaction.slice(1)]) {
      refusalOf(() => ledger.run(command, { dryRun: true }));
    }
    ledger.run(create(posting("world -> c", 1), { metadata: { x: "y" } }), { dryRun: true });
    refusalOf(() => ledger.run(create(posting("poor -> c", 1), { metadata: { x: "y" } })));
    ledger.bulk([...account, setMetadata(1, { k: "9" }), create(posting("poor -> c", 1))], {
      atomic: true,
    });
    expect(ledger.dump()).toBe(before);
    // The rolled-back bulk leaves nothing in memory either.
    ledger.run(setMetadata("a", { z: "z" }));
    expect(storedRows(ledger).index.filter((row) => row.includes("k=9"))).toEqual([]);
    expectExact(ledger);
  });

  test("the changes of a pair in a unit of work are written before they take too much memory, and are exact nevertheless", () => {
    const many = (value: string) =>
      Object.fromEntries(Array.from({ length: 4000 }, (_, index) => [`k${index}`, value]));
    const ledger = new TestLedger();
    ledger.bulk([
      ...Array.from({ length: 8 }, (_, index) => setMetadata(`a${index}`, many("1"))),
      ...Array.from({ length: 8 }, (_, index) => setMetadata(`a${index}`, many("2"))),
    ]);
    const counts = ledger.sql.all(
      "SELECT scope, count(*) AS count FROM metadata_index GROUP BY scope",
    );
    expect(counts).toEqual([
      { scope: 2, count: 32_000 },
      { scope: 3, count: 32_000 },
    ]);
  });
});
