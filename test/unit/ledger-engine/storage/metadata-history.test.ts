import { describe, expect, test } from "vitest";
import { MetadataHistory } from "#ledger-engine/storage/metadata-history.ts";
import type { Timestamp } from "#platform/time.ts";
import {
  at,
  create,
  deleteMetadata,
  posting,
  setMetadata,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";

const accountsAt = (ledger: TestLedger, date: Timestamp) => {
  const rows = ledger.sql.all<{ id: number; address: string }>("SELECT id, address FROM account");
  const found = new MetadataHistory(ledger.sql).accountsAt(rows, date);
  return Object.fromEntries(rows.map(({ id, address }) => [address, found.get(id)]));
};

describe("metadata of accounts at a moment", () => {
  test("metadata of accounts at a moment is what the entries up to it have made, for each account by its own name", () => {
    const ledger = new TestLedger();
    ledger.run(
      create(posting("world -> a", 1), {
        accountMetadata: { a: { k: "1" }, b: { k: "9", l: "9" } },
      }),
    );
    ledger.run(setMetadata("a", { k: "2", l: "2" }));
    ledger.run(deleteMetadata("a", "k"));
    ledger.run(setMetadata("b", { k: "3" }));
    expect(accountsAt(ledger, at("10:00"))).toEqual({ world: {}, a: {}, b: {} });
    expect(accountsAt(ledger, at("10:00:01"))).toEqual({
      world: {},
      a: { k: "1" },
      b: { k: "9", l: "9" },
    });
    expect(accountsAt(ledger, at("10:00:03"))["a"]).toEqual({ l: "2" });
    expect(accountsAt(ledger, at("9999-12-31T23:59:59Z"))).toEqual({
      world: {},
      a: { l: "2" },
      b: { k: "3", l: "9" },
    });
    expect(accountsAt(ledger, at("0001-01-01T00:00:00Z"))["a"]).toEqual({});
  });

  test("metadata of accounts at a moment lacks a deleted key from the last change before its deletion on", () => {
    const ledger = new TestLedger();
    ledger.run(setMetadata("a", { k: "1", l: "1" }));
    ledger.run(setMetadata("a", { k: "2" }));
    ledger.run(deleteMetadata("a", "k"));
    ledger.run(setMetadata("a", { l: "1" }));
    ledger.run(deleteMetadata("a", "nothing"));
    ledger.run(deleteMetadata("a", "l"));
    ledger.run(setMetadata("a", { k: "3" }));
    ledger.run(deleteMetadata("a", "k"));
    expect(accountsAt(ledger, at("10:00:01"))["a"]).toEqual({ k: "1", l: "1" });
    expect(accountsAt(ledger, at("10:00:02"))["a"]).toEqual({});
    expect(accountsAt(ledger, at("10:00:06"))["a"]).toEqual({});
    expect(accountsAt(ledger, at("10:00:07"))["a"]).toEqual({});
  });

  test("metadata of accounts at a moment takes all entries of one date", () => {
    const ledger = new TestLedger();
    ledger.bulk([setMetadata("a", { k: "1" }), setMetadata("a", { k: "2" })], { atomic: true });
    ledger.run(setMetadata("a", { k: "3" }));
    expect(accountsAt(ledger, at("10:00:01"))).toEqual({ a: { k: "2" } });
  });

  test("metadata of accounts at a moment may have any name and any key", () => {
    const ledger = new TestLedger();
    const pairs = Object.fromEntries([
      ["__proto__", "1"],
      ["constructor", "2"],
    ]);
    const accountMetadata = Object.fromEntries([["__proto__", pairs]]);
    ledger.run(create(posting("world -> b", 1), { accountMetadata }));
    ledger.run(deleteMetadata("__proto__", "constructor"));
    const row = ledger.sql.all<{ id: number; address: string }>(
      "SELECT id, address FROM account WHERE address = '__proto__'",
    );
    const found = new MetadataHistory(ledger.sql).accountsAt(row, ledger.now);
    expect([...found.values()].map((metadata) => Object.entries(metadata))).toEqual([
      [["__proto__", "1"]],
    ]);
  });

  test("metadata of accounts at a moment is found for many accounts with many and large entries, in few statements", () => {
    const ledger = new TestLedger();
    const large = "x".repeat(60_000);
    ledger.bulk(
      Array.from({ length: 2400 }, (_, index) => setMetadata(`a${index % 3}`, { n: `${index}` })),
    );
    ledger.bulk(
      Array.from({ length: 60 }, (_, index) => setMetadata("a1", { large, n: `${index}` })),
    );
    ledger.now = at("11:00"); // each element of a bulk is a microsecond later than the element before
    const rows = ledger.sql.all<{ id: number; address: string }>("SELECT id, address FROM account");
    let statements = 0;
    const counting = new MetadataHistory({
      all: (statement, ...bindings) => {
        statements++;
        return ledger.sql.all(statement, ...bindings);
      },
      transaction: (work) => ledger.sql.transaction(work),
    });
    const found = counting.accountsAt(rows, ledger.now);
    expect(rows.map(({ id }) => found.get(id)?.["n"])).toEqual(["2397", "59", "2399"]);
    expect(statements).toBeLessThan(40);
  });
});

describe("metadata of transactions at a moment", () => {
  const transactionsAt = (ledger: TestLedger, ids: readonly number[], date: Timestamp) => {
    // The metadata with which transactions were created, from the payloads of the log.
    const made = new Map(
      ledger
        .logs()
        .flatMap(({ data }) => ("transaction" in data ? [data.transaction] : []))
        .map(({ id, metadata }) => [id, metadata]),
    );
    const rows = ids.map((id) => ({ id, payload: { metadata: made.get(id) ?? {} } }));
    return [...new MetadataHistory(ledger.sql).transactionsAt(rows, date)];
  };

  test("metadata of transactions at a moment is that of its creation, with the changes up to it", () => {
    const ledger = new TestLedger();
    ledger.run(create(posting("world -> a", 1), { metadata: { k: "1", l: "1" } }));
    ledger.run(create(posting("world -> a", 1)));
    ledger.run(setMetadata(1, { k: "2" }));
    ledger.run(deleteMetadata(1, "l"));
    ledger.run(setMetadata(2, { m: "1" }));
    expect(transactionsAt(ledger, [2, 1], at("10:00:02"))).toEqual([
      [2, {}],
      [1, { k: "1", l: "1" }],
    ]);
    expect(transactionsAt(ledger, [1], at("10:00:03"))).toEqual([[1, { k: "2", l: "1" }]]);
    expect(transactionsAt(ledger, [2, 1], ledger.now)).toEqual([
      [2, { m: "1" }],
      [1, { k: "2" }],
    ]);
    expect(transactionsAt(ledger, [], ledger.now)).toEqual([]);
  });

  test("metadata of transactions at a moment is empty if the payload has none", () => {
    const history = new MetadataHistory(new TestLedger().sql);
    expect([...history.transactionsAt([{ id: 5, payload: {} }], at("10:00"))]).toEqual([[5, {}]]);
  });
});
