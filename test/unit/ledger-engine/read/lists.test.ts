import { describe, expect, test } from "vitest";
import {
  EXPANDED,
  BARE,
  ALL,
  at,
  create,
  posting,
  revert,
  setMetadata,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";

/** A ledger whose transactions have a different order by each date. */
function ledgerWithDates(): TestLedger {
  const ledger = new TestLedger({ now: at("13:00") });
  const dates = ["12:00", undefined, "12:00", "23:00", undefined];
  for (const date of dates) {
    const fields = date === undefined ? {} : { timestamp: at(date) };
    ledger.commit(create(posting("world -> a", 1), fields));
  }
  ledger.run(setMetadata(2, { k: "v" }));
  return ledger;
}

const idsBy = (ledger: TestLedger, column: string, order: "asc" | "desc"): number[] =>
  ledger.transactions({ column, order }).map(({ id }) => id);

describe("a list of transactions", () => {
  test.each([
    ["id", [1, 2, 3, 4, 5]],
    ["inserted_at", [1, 2, 3, 4, 5]],
    ["timestamp", [1, 3, 2, 5, 4]],
    ["updated_at", [1, 3, 4, 5, 2]],
    ["reverted_at", [1, 2, 3, 4, 5]],
  ])("a list of transactions is sorted by %s, equal dates by id, both ways", (column, ids) => {
    const ledger = ledgerWithDates();
    expect(idsBy(ledger, column, "asc")).toEqual(ids);
    expect(idsBy(ledger, column, "desc")).toEqual(ids.toReversed());
  });

  test("a list of transactions shows volumes as they are asked for", () => {
    const ledger = ledgerWithDates();
    const shown = (volumes: boolean, effectiveVolumes: boolean) => {
      const [first = {}] = ledger.engine.reads.listTransactions(ALL, {
        volumes,
        effectiveVolumes,
      }).data;
      return ["volumes", "effectiveVolumes"].filter((name) => name in first);
    };
    expect(shown(false, false)).toEqual([]);
    expect(shown(true, false)).toEqual(["volumes"]);
    expect(shown(false, true)).toEqual(["effectiveVolumes"]);
    expect(shown(true, true)).toEqual(["volumes", "effectiveVolumes"]);
  });

  test("a list of transactions has the same volumes as the answers of the commits", () => {
    const ledger = new TestLedger();
    const made = [
      ledger.commit(create([posting("world -> a", 9), posting("a -> a", 2), posting("a -> b", 3)])),
      ledger.commit(create([posting("world -> b", 1, "EUR"), posting("world -> a", 1)])),
    ];
    expect(ledger.transactions()).toEqual(made);
  });

  test("a list of transactions is empty in an empty ledger, in every order", () => {
    const ledger = new TestLedger();
    for (const column of ["id", "timestamp", "inserted_at", "updated_at", "reverted_at"]) {
      const page = ledger.engine.reads.listTransactions({ ...ALL, column }, EXPANDED);
      expect(page).toEqual({ pageSize: 10_000, hasMore: false, data: [] });
    }
  });

  test("a list of transactions goes on from a date that no transaction has, and from beyond either end", () => {
    const ledger = ledgerWithDates();
    const from = (column: string, value: bigint, order: "asc" | "desc"): number[] => {
      const start = { value, tie: 3n };
      return ledger.transactions({ column, order, start }).map(({ id }) => id);
    };
    const micros = BigInt(Date.parse("2026-03-01T12:30:00Z")) * 1000n;
    expect(from("timestamp", micros, "asc")).toEqual([2, 5, 4]);
    expect(from("timestamp", micros, "desc")).toEqual([3, 1]);
    expect(from("timestamp", 0n, "asc")).toEqual([1, 3, 2, 5, 4]);
    expect(from("timestamp", 0n, "desc")).toEqual([]);
    expect(from("timestamp", 10n ** 17n, "desc")).toEqual([4, 5, 2, 3, 1]);
    expect(from("id", 4n, "desc")).toEqual([4, 3, 2, 1]);
    expect(from("id", 0n, "asc")).toEqual([1, 2, 3, 4, 5]);
  });
});

describe("a single transaction", () => {
  test("a transaction is found by its id, with all changes since its creation", () => {
    const ledger = ledgerWithDates();
    ledger.run(revert(2));
    expect(ledger.transaction(2)).toMatchObject({
      metadata: { k: "v" },
      revertedAt: at("13:00:07"),
      updatedAt: at("13:00:07"),
    });
    const bare = ledger.engine.reads.findTransaction(2, BARE);
    expect(bare).not.toHaveProperty("volumes");
    expect(bare).not.toHaveProperty("effectiveVolumes");
    for (const id of [0, 99, -1, 2 ** 63]) {
      expect(ledger.engine.reads.findTransaction(id, EXPANDED)).toBeUndefined();
    }
  });
});

describe("a list of accounts", () => {
  test("a list of accounts is in the order of bytes", () => {
    const ledger = new TestLedger();
    for (const address of ["b", "a:b", "a-b", "a_b", "B", "a", "10", "9", "a:B", "aB"]) {
      ledger.run(setMetadata(address, {}));
    }
    expect(ledger.accounts().map(({ address }) => address)).toEqual([
      "10",
      "9",
      "B",
      "a",
      "a-b",
      "a:B",
      "a:b",
      "aB",
      "a_b",
      "b",
    ]);
  });
});
