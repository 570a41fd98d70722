import { describe, expect, test } from "vitest";
import { stringifyJson } from "#platform/json.ts";
import { at, create, posting, TestLedger } from "#test/support/ledger-engine/fixtures.ts";
import { datedVolumes } from "#test/support/ledger-engine/volume-reads.ts";

interface Wanted {
  readonly where?: object;
  readonly pit?: string;
  readonly useInsertionDate?: boolean;
}

/** The sums of a query as `asset balance`. */
function sums(ledger: TestLedger, { where, pit, useInsertionDate = false }: Wanted = {}): string[] {
  const query = {
    useInsertionDate,
    where: where === undefined ? undefined : stringifyJson(where),
    pit: pit === undefined ? undefined : at(pit),
  };
  return ledger.engine.reads
    .aggregateBalances(query)
    .map(({ asset, balance }) => `${asset} ${balance}`);
}

const ACCOUNTS = { $match: { address: "account:" } };

describe("aggregated balances", () => {
  test("aggregated balances of all accounts are zero, for each asset that has moved", () => {
    expect(sums(datedVolumes())).toEqual(["EUR 0", "USD 0"]);
    expect(sums(new TestLedger())).toEqual([]);
  });

  test.each([
    [ACCOUNTS, ["EUR 7", "USD 140"]],
    [{ $match: { address: "account:user1" } }, ["EUR 7", "USD 110"]],
    [{ $match: { address: "nobody" } }, []],
    [{ $match: { "metadata[vip]": "yes" } }, ["EUR 7", "USD 110"]],
    [{ $not: { $match: { address: "world" } } }, ["EUR 7", "USD 150"]],
    [
      { $or: [{ $match: { address: "bank:fees" } }, { $match: { address: "account:user2" } }] },
      ["USD 40"],
    ],
    [{ $in: { address: ["bank:fees", "x"] } }, ["USD 10"]],
    [{ $in: { address: [] } }, []],
    [{ $like: { address: "acc%1" } }, ["EUR 7", "USD 110"]],
    [{ $and: [] }, ["EUR 0", "USD 0"]],
  ])("aggregated balances of the accounts that match %j are summed", (where, expected) => {
    expect(sums(datedVolumes(), { where })).toEqual(expected);
  });

  test.each([{ $match: { account: "a" } }, { $gt: { balance: 0 } }, { $match: { nope: "x" } }])(
    "aggregated balances refuse the filter %j",
    (where) => {
      expect(() => sums(datedVolumes(), { where })).toThrow("unknown key");
    },
  );

  test("aggregated balances at a point in time go by effective dates, or by those of insertion", () => {
    const ledger = datedVolumes();
    const wanted = { where: ACCOUNTS, pit: "2025-01-01T12:00:00Z" };
    expect(sums(ledger, wanted)).toEqual(["USD 150"]);
    expect(sums(ledger, { ...wanted, pit: "2025-01-02T00:00:00Z" })).toEqual(["USD 140"]);
    expect(sums(ledger, { ...wanted, useInsertionDate: true })).toEqual([]);
    expect(sums(ledger, { where: ACCOUNTS, pit: "10:00:01", useInsertionDate: true })).toEqual([
      "USD 150",
    ]);
    expect(sums(ledger, { where: ACCOUNTS, useInsertionDate: true })).toEqual(["EUR 7", "USD 140"]);
    const vip = { $match: { "metadata[vip]": "yes" } };
    expect(sums(ledger, { where: vip, pit: "2025-01-02T00:00:00Z" })).toEqual([]);
    expect(sums(ledger, { where: vip, pit: "10:00:05" })).toEqual(["EUR 7", "USD 110"]);
  });

  test("aggregated balances of all accounts at a point in time have the assets that had moved by then", () => {
    const ledger = datedVolumes();
    expect(sums(ledger, { pit: "2025-01-02T00:00:00Z" })).toEqual(["USD 0"]);
    expect(sums(ledger, { pit: "2025-01-03T00:00:00Z" })).toEqual(["EUR 0", "USD 0"]);
    expect(sums(ledger, { pit: "2024-12-31T00:00:00Z" })).toEqual([]);
    expect(sums(ledger, { pit: "10:00:02", useInsertionDate: true })).toEqual(["USD 0"]);
  });

  test("aggregated balances are exact beyond 2^53, in sums and in parts of them", () => {
    const ledger = new TestLedger();
    const [safe, large] = [2n ** 53n - 1n, 10n ** 60n];
    ledger.commit(create(["a:1", "a:2", "a:3"].map((it) => posting(`world -> ${it}`, safe))));
    expect(sums(ledger, { where: { $match: { address: "a:..." } } })).toEqual([`USD ${3n * safe}`]);
    ledger.commit(create(posting("world -> a:2", large), { timestamp: at("09:00") }));
    ledger.commit(create(posting("a:2 -> b", 5)));
    const expected = `USD ${3n * safe + large - 5n}`;
    expect(sums(ledger, { where: { $match: { address: "a:..." } } })).toEqual([expected]);
    expect(sums(ledger, { where: { $match: { address: "a:..." } }, pit: "12:00" })).toEqual([
      expected,
    ]);
    expect(sums(ledger, { where: { $match: { address: "a:..." } }, pit: "09:00" })).toEqual([
      `USD ${large}`,
    ]);
  });

  test("aggregated balances of most accounts are known from the others, with the assets that only one side has moved", () => {
    const ledger = new TestLedger();
    for (const user of [1, 2, 3, 4]) ledger.commit(create(posting(`world -> user:${user}`, user)));
    ledger.commit(create(posting("user:1 -> user:2", 1, "INNER"), { force: true }));
    ledger.commit(create(posting("world -> bank", 1, "OUTER")));
    ledger.commit(
      create([posting("world -> user:3", 2, "BACK"), posting("user:3 -> bank", 2, "BACK")]),
    );
    ledger.commit(create(posting("bank -> world", 2, "BACK")));
    const expected = ["BACK 0", "INNER 0", "USD 10"];
    expect(sums(ledger, { where: { $match: { address: "user:..." } } })).toEqual(expected);
    const others = { $in: { address: ["world", "bank"] } };
    expect(sums(ledger, { where: { $not: others } })).toEqual(expected);
    expect(sums(ledger, { where: others })).toEqual(["BACK 0", "OUTER 0", "USD -10"]);
  });

  test("aggregated balances have their assets in byte order, however many there are", () => {
    const ledger = new TestLedger();
    const assets = ["USD", "EUR/2", "EUR", "A_B/1", "Z9", "B"];
    ledger.commit(create(assets.map((asset, index) => posting("world -> a", index, asset))));
    ledger.commit(create(posting("world -> a", 1, "EUR"), { timestamp: at("09:00") }));
    const where = { $match: { address: "a" } };
    const expected = ["A_B/1 3", "B 5", "EUR 3", "EUR/2 1", "USD 0", "Z9 4"];
    expect(sums(ledger, { where })).toEqual(expected);
    expect(sums(ledger, { where, pit: "12:00" })).toEqual(expected);
    expect(sums(ledger, { where, pit: "12:00", useInsertionDate: true })).toEqual(expected);
    expect(sums(ledger, { where, pit: "09:30" })).toEqual(["EUR 1"]);
  });
});

describe("aggregated balances of a point in time", () => {
  const pit = "2025-02-01T00:00:00Z";

  test("aggregated balances of a point in time are none without history of moves, and refused by date of insertion", () => {
    const ledger = datedVolumes({ features: { MOVES_HISTORY: "OFF" } });
    expect(sums(ledger)).toEqual(["EUR 0", "USD 0"]);
    expect(sums(ledger, { where: ACCOUNTS })).toEqual(["EUR 7", "USD 140"]);
    expect(sums(ledger, { pit })).toEqual([]);
    expect(sums(ledger, { pit, where: ACCOUNTS })).toEqual([]);
    expect(() => sums(ledger, { pit, useInsertionDate: true })).toThrow(
      'missing feature "MOVES_HISTORY"',
    );
  });

  test("aggregated balances of a point in time are refused by effective date without effective volumes", () => {
    const ledger = datedVolumes({
      features: { MOVES_HISTORY_POST_COMMIT_EFFECTIVE_VOLUMES: "DISABLED" },
    });
    expect(() => sums(ledger, { pit })).toThrow(
      'missing feature "MOVES_HISTORY_POST_COMMIT_EFFECTIVE_VOLUMES"',
    );
    const byInsertion = { pit: "10:00:01", useInsertionDate: true, where: ACCOUNTS };
    expect(sums(ledger, byInsertion)).toEqual(["USD 150"]);
    const none = datedVolumes({
      features: {
        MOVES_HISTORY: "OFF",
        MOVES_HISTORY_POST_COMMIT_EFFECTIVE_VOLUMES: "DISABLED",
      },
    });
    expect(() => sums(none, { pit })).toThrow("missing feature");
  });
});
