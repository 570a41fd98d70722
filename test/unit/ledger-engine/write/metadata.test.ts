import { describe, expect, test } from "vitest";
import {
  at,
  create,
  deleteMetadata,
  posting,
  refusalOf,
  setMetadata,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";

const accountOf = (ledger: TestLedger, address: string) => ledger.account(address);

describe("metadata of an account", () => {
  test("metadata of an account makes the account, and merges into what is there", () => {
    const ledger = new TestLedger();
    ledger.run(setMetadata("a", { k: "1", l: "2" }));
    ledger.run(setMetadata("a", { l: "3", m: "4" }));
    expect(accountOf(ledger, "a")).toEqual({
      address: "a",
      metadata: { k: "1", l: "3", m: "4" },
      firstUsage: at("10:00:01"),
      insertionDate: at("10:00:01"),
      updatedAt: at("10:00:02"),
    });
  });

  test("metadata of an account that is there already moves no date and is logged", () => {
    const ledger = new TestLedger();
    ledger.run(setMetadata("a", { k: "1" }));
    const before = accountOf(ledger, "a");
    expect(ledger.run(setMetadata("a", { k: "1" })).logId).toBe(2);
    expect(ledger.run(setMetadata("a", {})).logId).toBe(3);
    expect(accountOf(ledger, "a")).toEqual(before);
    expect(ledger.logs()).toHaveLength(3);
  });

  test("metadata of an account is deleted without moving a date; an absent key or account is logged and changes nothing", () => {
    const ledger = new TestLedger();
    ledger.run(setMetadata("a", { k: "1", l: "2" }));
    ledger.run(deleteMetadata("a", "k"));
    const before = accountOf(ledger, "a");
    expect(before).toMatchObject({ metadata: { l: "2" }, updatedAt: at("10:00:01") });
    ledger.run(deleteMetadata("a", "k"));
    ledger.run(deleteMetadata("nobody", "k"));
    expect(accountOf(ledger, "a")).toEqual(before);
    expect(accountOf(ledger, "nobody")).toBeUndefined();
    expect(ledger.logs().map(({ data }) => data)).toEqual([
      { type: "SET_METADATA", target: { type: "ACCOUNT", id: "a" }, metadata: { k: "1", l: "2" } },
      { type: "DELETE_METADATA", target: { type: "ACCOUNT", id: "a" }, key: "k" },
      { type: "DELETE_METADATA", target: { type: "ACCOUNT", id: "a" }, key: "k" },
      { type: "DELETE_METADATA", target: { type: "ACCOUNT", id: "nobody" }, key: "k" },
    ]);
  });

  test("metadata of an account has a limit that includes what exists; the refusal leaves no trace", () => {
    const ledger = new TestLedger();
    const text = "x".repeat(40_000);
    ledger.run(setMetadata("a", { k: text }));
    const before = ledger.dump();
    expect(refusalOf(() => ledger.run(setMetadata("a", { l: text })))).toBe("VALIDATION");
    const withAccount = create(posting("world -> b", 1), { accountMetadata: { a: { l: text } } });
    expect(refusalOf(() => ledger.run(withAccount))).toBe("VALIDATION");
    expect(ledger.dump()).toBe(before);
    ledger.run(setMetadata("a", { k: text }));
  });
});

describe("metadata of a transaction", () => {
  test("metadata of a transaction merges and moves the date of change", () => {
    const ledger = new TestLedger();
    ledger.commit(create(posting("world -> a", 1), { metadata: { k: "1" } }));
    ledger.run(setMetadata(1, { l: 'quote " and é 日' }));
    expect(ledger.transaction(1)).toMatchObject({
      metadata: { k: "1", l: 'quote " and é 日' },
      insertedAt: at("10:00:01"),
      updatedAt: at("10:00:02"),
    });
  });

  test("metadata of a transaction that is there already moves no date and is logged", () => {
    const ledger = new TestLedger();
    const made = ledger.commit(create(posting("world -> a", 1), { metadata: { k: "1" } }));
    ledger.run(setMetadata(1, { k: "1" }));
    ledger.run(setMetadata(1, {}));
    expect(ledger.transaction(1)).toEqual(made);
    expect(ledger.logs()).toHaveLength(3);
  });

  test("metadata of a transaction is deleted once; an absent key and an unknown transaction are not found and not logged", () => {
    const ledger = new TestLedger();
    ledger.commit(create(posting("world -> a", 1), { metadata: { k: "1", l: "2" } }));
    ledger.run(deleteMetadata(1, "k"));
    expect(ledger.transaction(1)).toMatchObject({
      metadata: { l: "2" },
      updatedAt: at("10:00:02"),
    });
    const before = ledger.dump();
    for (const command of [
      deleteMetadata(1, "k"),
      deleteMetadata(1, "toString"),
      deleteMetadata(2, "l"),
      setMetadata(2, { k: "v" }),
      setMetadata(2, {}),
    ]) {
      expect(refusalOf(() => ledger.run(command))).toBe("NOT_FOUND");
    }
    expect(ledger.dump()).toBe(before);
  });

  test("metadata of a transaction stays empty when all of it was deleted, even that of the creation", () => {
    const ledger = new TestLedger();
    ledger.commit(create(posting("world -> a", 1), { metadata: { k: "1" } }));
    ledger.run(deleteMetadata(1, "k"));
    ledger.open();
    expect(ledger.transaction(1).metadata).toEqual({});
    expect(ledger.logs()[0]?.data).toMatchObject({ transaction: { metadata: { k: "1" } } });
  });
});
