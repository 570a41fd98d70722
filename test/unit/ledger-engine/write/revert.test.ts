import { describe, expect, test } from "vitest";
import { readLogPage } from "#ledger-engine/write/log-rows.ts";
import { present } from "#platform/assert.ts";
import {
  at,
  create,
  posting,
  refusalOf,
  revert,
  setMetadata,
  TestLedger,
  volumeTexts,
} from "#test/support/ledger-engine/fixtures.ts";

describe("a revert", () => {
  test("a revert moves the money back with a transaction of its own and marks the original", () => {
    const ledger = new TestLedger();
    ledger.commit(create([posting("world -> a", 100), posting("a -> b", 30)], { reference: "r" }));
    const made = ledger.commit(revert(1, { metadata: { why: "mistake" } }));
    expect(made).toMatchObject({
      id: 2,
      postings: [posting("b -> a", 30), posting("a -> world", 100)],
      metadata: { why: "mistake", "com.formance.spec/state/reverts": "1" },
      timestamp: at("10:00:02"),
      insertedAt: at("10:00:02"),
    });
    expect(made.reference).toBeUndefined();
    expect(volumeTexts(made.volumes)).toEqual([
      "b USD 30/30",
      "a USD 130/130",
      "world USD 100/100",
    ]);
    expect(ledger.transaction(1)).toMatchObject({
      revertedAt: at("10:00:02"),
      updatedAt: at("10:00:02"),
      insertedAt: at("10:00:01"),
    });
    expect(ledger.transaction(2)).toEqual(made);
  });

  test("a revert at the effective date comes right after the original in the order of dates", () => {
    const ledger = new TestLedger();
    ledger.commit(create(posting("world -> a", 100), { timestamp: at("08:00") }));
    ledger.commit(create(posting("world -> a", 7), { timestamp: at("09:00") }));
    const made = ledger.commit(revert(1, { atEffectiveDate: true }));
    expect(made).toMatchObject({ timestamp: at("08:00"), insertedAt: at("10:00:03") });
    expect(volumeTexts(made.volumes)).toEqual(["a USD 107/100", "world USD 100/107"]);
    expect(volumeTexts(made.effectiveVolumes)).toEqual(["a USD 100/100", "world USD 100/100"]);
    expect(volumeTexts(ledger.transaction(2).effectiveVolumes)).toEqual([
      "world USD 100/107",
      "a USD 107/100",
    ]);
    expect(ledger.transaction(1).revertedAt).toBe(at("10:00:03"));
  });

  test("a revert names the original, whatever the client's metadata says", () => {
    const ledger = new TestLedger();
    ledger.commit(create(posting("world -> a", 1)));
    const metadata = { "com.formance.spec/state/reverts": "77" };
    expect(ledger.commit(revert(1, { metadata })).metadata).toEqual({
      "com.formance.spec/state/reverts": "1",
    });
  });

  test("a revert happens once; the revert of an unknown transaction is refused; neither leaves a trace", () => {
    const ledger = new TestLedger();
    ledger.commit(create(posting("world -> a", 1)));
    ledger.commit(revert(1));
    const before = ledger.dump();
    expect(refusalOf(() => ledger.run(revert(1, { force: true })))).toBe("ALREADY_REVERT");
    for (const id of [0, 3, -1, Number.MAX_SAFE_INTEGER]) {
      expect(refusalOf(() => ledger.run(revert(id)))).toBe("NOT_FOUND");
    }
    expect(ledger.dump()).toBe(before);
    expect(ledger.commit(create(posting("world -> a", 1))).id).toBe(3);
  });

  test("a revert may itself be reverted", () => {
    const ledger = new TestLedger();
    ledger.commit(create(posting("world -> a", 7)));
    ledger.commit(revert(1));
    const again = ledger.commit(revert(2));
    expect(again.postings).toEqual([posting("world -> a", 7)]);
    expect(again.metadata).toEqual({ "com.formance.spec/state/reverts": "2" });
    expect(ledger.volumes("a")).toEqual({ USD: "14/7" });
    expect(refusalOf(() => ledger.run(revert(1)))).toBe("ALREADY_REVERT");
  });

  test("a revert needs the money to be still there, unless it is forced", () => {
    const ledger = new TestLedger();
    ledger.commit(create(posting("world -> a", 100)));
    ledger.commit(create(posting("a -> b", 1)));
    const before = ledger.dump();
    expect(refusalOf(() => ledger.run(revert(1)))).toBe("INSUFFICIENT_FUND");
    expect(ledger.dump()).toBe(before);
    ledger.commit(revert(1, { force: true }));
    expect(ledger.volumes("a")).toEqual({ USD: "100/101" });
  });

  test("a revert of money that passed through an account needs no balance there", () => {
    const ledger = new TestLedger();
    ledger.commit(create([posting("world -> a", 10), posting("a -> b", 10)]));
    ledger.commit(revert(1));
    expect(ledger.volumes("a")).toEqual({ USD: "20/20" });
    expect(ledger.volumes("b")).toEqual({ USD: "10/10" });
  });

  test("a revert has the current date, even for a transaction of the past or the future", () => {
    const ledger = new TestLedger({ now: at("13:00") });
    ledger.commit(create(posting("world -> a", 10), { timestamp: at("11:00") }));
    ledger.commit(create(posting("world -> a", 10), { timestamp: at("23:00") }));
    expect(ledger.commit(revert(1)).timestamp).toBe(at("13:00:03"));
    const second = ledger.commit(revert(2));
    expect(second.timestamp).toBe(at("13:00:04"));
    expect(volumeTexts(second.effectiveVolumes)).toEqual(["a USD 10/20", "world USD 20/10"]);
    expect(volumeTexts(ledger.transaction(2).effectiveVolumes)).toEqual([
      "world USD 20/20",
      "a USD 20/20",
    ]);
  });

  test("a revert does not touch accounts", () => {
    const ledger = new TestLedger();
    ledger.commit(create(posting("world -> a", 10)));
    const account = ledger.account("a");
    ledger.commit(revert(1));
    expect(ledger.account("a")).toEqual(account);
  });

  test("a revert has the original in its log entry, with its metadata at that time and its volumes", () => {
    const ledger = new TestLedger();
    ledger.commit(create(posting("world -> a", 10), { metadata: { k: "1" } }));
    ledger.run(setMetadata(1, { k: "2" }));
    ledger.commit(revert(1));
    const entry = ledger.logs()[2];
    if (entry?.data.type !== "REVERTED_TRANSACTION") throw new Error("the third entry is a revert");
    const { revertedTransaction } = entry.data;
    expect(revertedTransaction).toMatchObject({
      id: 1,
      metadata: { k: "2" },
      revertedAt: at("10:00:03"),
      updatedAt: at("10:00:03"),
    });
    expect(volumeTexts(revertedTransaction.volumes)).toEqual(["world USD 0/10", "a USD 10/0"]);
    expect(revertedTransaction.effectiveVolumes).toBeUndefined();
    ledger.run(setMetadata(1, { k: "3" }));
    ledger.commit(create(posting("world -> a", 1), { timestamp: at("09:00") }));
    expect(ledger.logs()[2]).toEqual(entry);
  });
});

test("a replay refuses a damaged log that reverts a transaction twice", () => {
  const [ledger, copy] = [new TestLedger(), new TestLedger()];
  ledger.run(create(posting("world -> a", 1)));
  ledger.run(revert(1, { force: true }));
  const page = readLogPage(ledger.sql, -1, 10);
  copy.engine.replay([page]);
  const last = present(page.rows.at(-1), "the revert is in the log");
  const again = { ...page, rows: [{ ...last, id: last.id + 1, tx: 3 }] };
  expect(() => copy.engine.replay([again])).toThrow("transaction 1 is reverted once");
  expect(copy.transactions()).toEqual(ledger.transactions());
});
