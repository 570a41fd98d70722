import { describe, expect, test } from "vitest";
import type { Features } from "#ledger-engine/rules/types.ts";
import {
  at,
  BARE,
  create,
  deleteMetadata,
  EXPANDED,
  posting,
  revert,
  setMetadata,
  TestLedger,
  volumeTexts,
} from "#test/support/ledger-engine/fixtures.ts";
import { countOf, idsOf, transactionPage } from "#test/support/ledger-engine/transaction-reads.ts";

/** A ledger that gets a command each second from 10:00:01 on. */
function history(features: Partial<Features> = {}): TestLedger {
  const ledger = new TestLedger({ features });
  ledger.commit(create(posting("world -> a", 10), { metadata: { k: "1" } }));
  ledger.run(setMetadata(1, { k: "2" }));
  ledger.commit(create(posting("world -> a", 5), { timestamp: at("09:00") }));
  ledger.commit(create(posting("a -> b", 1), { timestamp: at("12:00") }));
  ledger.run(revert(1, { force: true }));
  ledger.run(deleteMetadata(1, "k"));
  ledger.run(setMetadata(2, { k: "9" }));
  return ledger;
}

describe("transactions at a point in time", () => {
  test("transactions at a point in time are those that are dated up to it, whenever they were written", () => {
    const ledger = history();
    expect(idsOf(ledger, { pit: at("08:59:59.999999") })).toEqual([]);
    expect(idsOf(ledger, { pit: at("09:00") })).toEqual([2]);
    expect(idsOf(ledger, { pit: at("10:00:01") })).toEqual([2, 1]);
    expect(idsOf(ledger, { pit: at("11:00") })).toEqual([4, 2, 1]);
    expect(idsOf(ledger, { pit: at("12:00") })).toEqual([4, 3, 2, 1]);
    expect(idsOf(ledger, { pit: at("11:00"), column: "timestamp" })).toEqual([4, 1, 2]);
    expect(countOf(ledger, { pit: at("11:00") })).toBe(3);
    expect(countOf(ledger, { pit: at("08:00") })).toBe(0);
  });

  test("transactions at a point in time are read one by one in the same way", () => {
    const ledger = history();
    const find = (id: number, pit: string) =>
      ledger.engine.reads.findTransaction(id, { ...BARE, pit: at(pit) });
    expect(find(3, "11:59:59")).toBeUndefined();
    expect(find(3, "12:00")?.id).toBe(3);
    expect(find(1, "10:00:01")?.metadata).toEqual({ k: "1" });
    expect(find(1, "10:00:02")?.metadata).toEqual({ k: "2" });
    expect(find(1, "10:00:06")?.metadata).toEqual({});
    expect(find(9, "12:00")).toBeUndefined();
  });

  test("transactions at a point in time show their metadata at that time, and are found by it", () => {
    const ledger = history();
    const having = (value: string, pit?: string) =>
      idsOf(ledger, {
        where: { $match: { "metadata[k]": value } },
        ...(pit === undefined ? {} : { pit: at(pit) }),
      });
    expect(having("1", "10:00:01")).toEqual([1]);
    expect(having("2", "10:00:01")).toEqual([]);
    expect(having("1", "10:00:02")).toEqual([]);
    expect(having("2", "10:00:05")).toEqual([1]);
    expect(having("2")).toEqual([]);
    expect(having("9")).toEqual([2]);
    expect(having("9", "10:00:06")).toEqual([]);
    expect(having("9", "10:00:07")).toEqual([2]);
    const lacking = { $not: { $exists: { metadata: "k" } } };
    expect(idsOf(ledger, { where: lacking, pit: at("10:00:05") })).toEqual([4, 2]);
    expect(idsOf(ledger, { where: lacking, pit: at("10:00:06") })).toEqual([4, 2, 1]);
    const existing = { $exists: { metadata: "k" } };
    expect(idsOf(ledger, { where: existing, pit: at("10:00:05") })).toEqual([1]);
    expect(countOf(ledger, { where: existing, pit: at("10:00:05") })).toBe(1);
    const { data } = transactionPage(ledger, { pit: at("10:00:02"), where: existing });
    expect(data.map(({ metadata }) => metadata)).toEqual([{ k: "2" }]);
  });

  test("transactions at a point in time show current metadata where the ledger keeps no history of it", () => {
    const ledger = history({ TRANSACTION_METADATA_HISTORY: "DISABLED" });
    const pit = at("10:00:05");
    expect(transactionPage(ledger, { pit }).data.map(({ metadata }) => metadata)).toEqual([
      { "com.formance.spec/state/reverts": "1" },
      { k: "9" },
      {},
    ]);
    expect(idsOf(ledger, { pit, where: { $match: { "metadata[k]": "9" } } })).toEqual([2]);
    expect(idsOf(ledger, { pit, where: { $match: { "metadata[k]": "2" } } })).toEqual([]);
  });

  test("transactions at a point in time hide a revert that came later, also from filters and sorts", () => {
    const ledger = history();
    const shown = (pit: string) => {
      const { data } = transactionPage(ledger, { pit: at(pit), where: { $match: { id: 1 } } });
      return data[0];
    };
    expect(shown("10:00:04.999999")).not.toHaveProperty("revertedAt");
    expect(shown("10:00:04.999999")?.updatedAt).toBe(at("10:00:06"));
    expect(shown("10:00:05")?.revertedAt).toBe(at("10:00:05"));
    const before = { pit: at("10:00:04") };
    const after = { pit: at("10:00:05") };
    const reverted = { $match: { reverted: true } };
    expect(idsOf(ledger, { ...before, where: reverted })).toEqual([]);
    expect(idsOf(ledger, { ...after, where: reverted })).toEqual([1]);
    expect(idsOf(ledger, { ...before, where: { $not: reverted } })).toEqual([2, 1]);
    expect(countOf(ledger, { ...before, where: reverted })).toBe(0);
    expect(countOf(ledger, { ...after, where: reverted })).toBe(1);
    const since = { $gte: { reverted_at: "2026-01-01T00:00:00Z" } };
    expect(idsOf(ledger, { ...before, where: since })).toEqual([]);
    expect(idsOf(ledger, { ...after, where: since })).toEqual([1]);
    expect(countOf(ledger, { ...before, where: since })).toBe(0);
    for (const until of ["2026-01-01T00:00:00Z", "0001-01-01T00:00:00Z"]) {
      const where = { $not: { $lt: { reverted_at: until } } };
      expect(idsOf(ledger, { ...before, where })).toEqual([]);
      expect(countOf(ledger, { ...before, where })).toBe(0);
      expect(idsOf(ledger, { ...after, where })).toEqual([1]);
      expect(countOf(ledger, { ...after, where })).toBe(1);
    }
    expect(idsOf(ledger, { ...before, column: "reverted_at" })).toEqual([2, 1]);
    expect(idsOf(ledger, { ...after, column: "reverted_at" })).toEqual([1, 4, 2]);
  });

  test("transactions at a point in time have their current volumes, and ignore the start of a period", () => {
    const ledger = history();
    const pit = at("10:00:01");
    const { data } = transactionPage(ledger, { pit, oot: at("10:00") }, EXPANDED);
    expect(data.map(({ id }) => id)).toEqual([2, 1]);
    expect(data.map(({ volumes }) => volumeTexts(volumes))).toEqual([
      ["world USD 0/15", "a USD 15/0"],
      ["world USD 0/10", "a USD 10/0"],
    ]);
    expect(data.map(({ effectiveVolumes }) => volumeTexts(effectiveVolumes))).toEqual([
      ["world USD 0/5", "a USD 5/0"],
      ["world USD 0/15", "a USD 15/0"],
    ]);
  });
});
