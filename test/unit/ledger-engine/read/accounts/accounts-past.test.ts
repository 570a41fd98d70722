import { describe, expect, test } from "vitest";
import type { Features } from "#ledger-engine/rules/types.ts";
import {
  addressesOf,
  countAccounts,
  listAccounts,
} from "#test/support/ledger-engine/account-reads.ts";
import {
  at,
  BARE,
  create,
  EXPANDED,
  posting,
  setMetadata,
  TestLedger,
  volumeTexts,
} from "#test/support/ledger-engine/fixtures.ts";

describe("accounts at a point in time", () => {
  const back = { timestamp: at("09:00") };
  /** A ledger that is written from 10:00 on, with back-dated movements and metadata that changes. */
  function history(features: Partial<Features> = {}): TestLedger {
    const ledger = new TestLedger({ features });
    ledger.commit(create(posting("world -> a", 10)));
    ledger.run(setMetadata("a", { k: "1" }));
    ledger.commit(create(posting("world -> a", 5), back));
    ledger.run(setMetadata("a", { k: "2" }));
    ledger.commit(create(posting("a -> b", 1), { timestamp: at("12:00") }));
    return ledger;
  }

  test("accounts at a point in time are those that were used up to it, by effective dates", () => {
    const ledger = history();
    expect(addressesOf(ledger, { pit: at("08:59") })).toBe("");
    expect(addressesOf(ledger, { pit: at("09:00") })).toBe("a world");
    expect(addressesOf(ledger, { pit: at("12:00") })).toBe("a b world");
    expect(ledger.engine.reads.findAccount("b", { ...BARE, pit: at("11:59:59") })).toBeUndefined();
    expect(ledger.engine.reads.findAccount("b", { ...BARE, pit: at("12:00") })?.address).toBe("b");
    expect(countAccounts(ledger, { pit: at("09:30") })).toBe(2);
    expect(
      countAccounts(ledger, { pit: at("09:30"), where: { $not: { $match: { address: "a" } } } }),
    ).toBe(1);
  });

  test("accounts at a point in time show their metadata at that time, and are found by it", () => {
    const ledger = history();
    const metadata = (pit?: string) =>
      ledger.engine.reads.findAccount("a", {
        ...BARE,
        pit: pit === undefined ? undefined : at(pit),
      })?.metadata;
    expect(
      ["10:00:01", "10:00:02", "10:00:03.999999", "10:00:04", undefined].map(metadata),
    ).toEqual([{}, { k: "1" }, { k: "1" }, { k: "2" }, { k: "2" }]);
    const first = { $match: { "metadata[k]": "1" } };
    expect(addressesOf(ledger, { where: first })).toBe("");
    expect(addressesOf(ledger, { where: first, pit: at("10:00:03") })).toBe("a");
    expect(addressesOf(ledger, { where: first, pit: at("10:00:05") })).toBe("");
    expect(
      addressesOf(ledger, { where: { $not: { $exists: { metadata: "k" } } }, pit: at("10:00:01") }),
    ).toBe("a world");
  });

  test("accounts at a point in time show current metadata where the ledger keeps no history of it", () => {
    const ledger = history({ ACCOUNT_METADATA_HISTORY: "DISABLED" });
    const query = { pit: at("10:00:01"), where: { $match: { "metadata[k]": "2" } } };
    expect(listAccounts(ledger, query)).toMatchObject([{ address: "a", metadata: { k: "2" } }]);
  });

  test("accounts at a point in time show volumes by insertion, and effective ones by date", () => {
    const ledger = history();
    const shown = (pit: string) => {
      const [first] = listAccounts(
        ledger,
        { pit: at(pit), where: { $match: { address: "a" } } },
        EXPANDED,
      );
      return [volumeTexts(first?.volumes), volumeTexts(first?.effectiveVolumes)];
    };
    expect(shown("09:30")).toEqual([[], ["a USD 5/0"]]);
    expect(shown("10:00:01")).toEqual([["a USD 10/0"], ["a USD 15/0"]]);
    expect(shown("10:00:05")).toEqual([["a USD 15/1"], ["a USD 15/0"]]);
    expect(shown("12:00")).toEqual([["a USD 15/1"], ["a USD 15/1"]]);
    const now = ledger.engine.reads.findAccount("a", EXPANDED);
    expect(now?.effectiveVolumes).toEqual(now?.volumes);
  });

  test("accounts at a point in time are found by their effective balances, with and without stored effective volumes", () => {
    for (const features of [
      {},
      { MOVES_HISTORY_POST_COMMIT_EFFECTIVE_VOLUMES: "DISABLED" },
    ] as const) {
      const found = (pit: string, value: number) =>
        addressesOf(history(features), {
          pit: at(pit),
          where: { $match: { "balance[USD]": value } },
        });
      expect([found("09:30", 5), found("10:00:01", 15), found("11:59", 15)]).toEqual([
        "a",
        "a",
        "a",
      ]);
      expect([found("12:00", 14), found("12:00", 1), found("11:59", 1)]).toEqual(["a", "b", ""]);
    }
  });

  test("accounts at a point in time have no balances where the ledger keeps no history of moves", () => {
    const ledger = history({ MOVES_HISTORY: "OFF" });
    const where = { $gt: { "balance[USD]": 0 } };
    expect(() => listAccounts(ledger, { pit: at("11:00"), where })).toThrow(
      'missing feature "MOVES_HISTORY"',
    );
    expect(() => countAccounts(ledger, { pit: at("11:00"), where })).toThrow(
      'missing feature "MOVES_HISTORY"',
    );
    expect(addressesOf(ledger, { pit: at("11:00") })).toBe("a world");
    expect(addressesOf(ledger, { where })).toBe("a b");
  });
});
