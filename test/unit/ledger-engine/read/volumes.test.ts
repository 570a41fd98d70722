import { describe, expect, test } from "vitest";
import type { Features } from "#ledger-engine/rules/types.ts";
import type { OffsetQuery } from "#platform/paging/query.ts";
import {
  at,
  create,
  posting,
  refusalOf,
  setMetadata,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";
import {
  DATED_ROWS,
  datedVolumes,
  NO_OPTIONS,
  volumeRows,
  volumeText,
  walkVolumes,
} from "#test/support/ledger-engine/volume-reads.ts";

describe("a list of volumes", () => {
  test("a list of volumes has a row for each account and asset, in their order", () => {
    expect(volumeRows(datedVolumes())).toEqual(DATED_ROWS);
  });

  test("a list of volumes has the assets of an account in ascending order, whatever the order of the accounts", () => {
    expect(volumeRows(datedVolumes(), { order: "desc" })).toEqual([
      "world EUR 0/7",
      "world USD 0/150",
      "bank:fees USD 10/0",
      "account:user2 USD 50/20",
      "account:user1 EUR 7/0",
      "account:user1 USD 120/10",
    ]);
  });

  test.each(["asc", "desc"] as const)(
    "a list of volumes is walked %s in pages of any size, and back",
    (order) => {
      const ledger = datedVolumes();
      const assets = ["EUR", "EUR/2", "EUR_A", "EUR_A/2", "E", "Z", "A9"];
      ledger.commit(create(assets.map((asset) => posting("world -> account", 1, asset))));
      const all = volumeRows(ledger, { order });
      for (const pageSize of [1, 2, 3, 5, 50]) {
        const { forward, backward } = walkVolumes(ledger, { order, pageSize });
        expect(forward.flat()).toEqual(all);
        expect(backward.toReversed()).toEqual(forward.slice(0, -1));
      }
    },
  );

  test("a list of volumes accepts a cursor with an offset, as the reference server makes them", () => {
    const query: OffsetQuery = {
      kind: "offset",
      column: "account",
      order: "asc",
      pageSize: 2,
      options: NO_OPTIONS,
      offset: 2,
    };
    const page = datedVolumes().engine.reads.listVolumes(query);
    expect(page.data.map(volumeText)).toEqual(DATED_ROWS.slice(2, 4));
    expect([page.hasMore, page.previous === undefined]).toEqual([true, false]);
    const beyond = datedVolumes().engine.reads.listVolumes({ ...query, offset: 6 });
    expect([beyond.data, beyond.hasMore]).toEqual([[], false]);
  });

  test("a list of volumes has rows for zero-amount moves, and none for accounts without moves", () => {
    const ledger = new TestLedger();
    ledger.commit(create(posting("world -> a", 0)));
    ledger.run(setMetadata("idle", {}));
    expect(volumeRows(ledger)).toEqual(["a USD 0/0", "world USD 0/0"]);
    expect(volumeRows(ledger, { to: "12:00" })).toEqual(["a USD 0/0", "world USD 0/0"]);
    expect(volumeRows(ledger, { from: "12:00" })).toEqual([]);
    expect(volumeRows(new TestLedger())).toEqual([]);
  });

  test("a list of volumes is exact beyond 2^53, and goes by the bytes of addresses", () => {
    const ledger = new TestLedger();
    const large = 10n ** 80n + 1n;
    ledger.commit(
      create(["b:1", "a-1", "a:1", "B", "9"].map((it) => posting(`world -> ${it}`, large))),
    );
    ledger.commit(create(posting("b:1 -> a:1", 1)));
    expect(volumeRows(ledger, { pageSize: 5 })).toEqual([
      `9 USD ${large}/0`,
      `B USD ${large}/0`,
      `a-1 USD ${large}/0`,
      `a:1 USD ${large + 1n}/0`,
      `b:1 USD ${large}/1`,
    ]);
  });

  test.each([
    [{ $match: { account: "account:user1" } }, [0, 1]],
    [{ $match: { address: "account:" } }, [0, 1, 2]],
    [{ $match: { "metadata[vip]": "yes" } }, [0, 1]],
    [{ $not: { $exists: { metadata: "vip" } } }, [2, 3, 4, 5]],
    [{ $gt: { "balance[USD]": 0 } }, [1, 2, 3]],
    // A row has one asset, and fails every test of another one.
    [{ $not: { $gt: { "balance[USD]": 0 } } }, [0, 4, 5]],
    [{ $not: { $match: { "balance[NOPE]": 0 } } }, [0, 1, 2, 3, 4, 5]],
    [{ $not: { $not: { $gt: { "balance[USD]": 0 } } } }, [1, 2, 3]],
    [
      { $and: [{ $match: { account: "account:" } }, { $not: { $lt: { "balance[USD]": 0 } } }] },
      [0, 1, 2],
    ],
    [{ $lt: { balance: 10 } }, [0, 4, 5]],
    [{ $exists: { balance: "EUR" } }, [0, 4]],
    [{ $and: [{ $gt: { "balance[USD]": 0 } }, { $gt: { "balance[EUR]": 0 } }] }, []],
    [{ $or: [{ $gt: { "balance[USD]": 100 } }, { $gt: { "balance[EUR]": 0 } }] }, [0, 1]],
    [{ $and: [{ $gt: { "balance[USD]": 10 } }, { $lt: { "balance[USD]": 110 } }] }, [2]],
    [{ $match: { "balance[NOPE]": 0 } }, []],
    [{ $match: { first_usage: "2025-01-02T00:00:00Z" } }, [3]],
    [
      { $or: [{ $match: { account: "bank:fees" } }, { $match: { account: "account:" } }] },
      [0, 1, 2, 3],
    ],
  ])("a list of volumes takes the filter %j", (where, indexes) => {
    expect(volumeRows(datedVolumes(), { where })).toEqual(
      indexes.map((index) => DATED_ROWS[index]),
    );
  });

  test("a list of volumes refuses filters on keys that it does not know", () => {
    for (const where of [
      { $match: { nope: 1 } },
      { $gt: { updated_at: "2025-01-01T00:00:00Z" } },
    ]) {
      expect(refusalOf(() => volumeRows(datedVolumes(), { where }))).toBe("VALIDATION");
    }
  });
});

/** Features with which effective volumes are stored, or are added up when they are read. */
const KEPT: readonly Partial<Features>[] = [
  {},
  { MOVES_HISTORY_POST_COMMIT_EFFECTIVE_VOLUMES: "DISABLED" },
];

describe.each(KEPT)("volumes of a period %j", (features) => {
  test.each([
    [
      "2025-01-01T12:00:00Z",
      undefined,
      [0, "account:user1 USD 20/10", "account:user2 USD 0/20", 3, 4],
    ],
    [
      "2025-01-01T12:00:00Z",
      "2025-01-02T00:00:00Z",
      ["account:user1 USD 20/10", "account:user2 USD 0/20", 3],
    ],
    [undefined, "2025-01-01T12:00:00Z", ["account:user1 USD 120/0", 2, 5]],
    ["2025-01-02T00:00:00Z", "2025-01-01T00:00:00Z", []],
    ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z", [0, 1, 2, 3, 4, 5]],
    [undefined, "2020-01-01T00:00:00Z", []],
    ["2025-01-03T00:00:00.000001Z", undefined, []],
  ])("volumes of a period from %s to %s include both ends", (from, to, expected) => {
    const wanted = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
    const texts = expected.map((it) => (typeof it === "number" ? DATED_ROWS[it] : it));
    expect(volumeRows(datedVolumes({ features }), wanted)).toEqual(texts);
    expect(
      walkVolumes(datedVolumes({ features }), { ...wanted, pageSize: 1 }).forward.flat(),
    ).toEqual(texts);
  });

  test("volumes of a period may go by dates of insertion", () => {
    const options = { insertionDate: true, groupBy: 0 };
    const ledger = datedVolumes({ features });
    expect(volumeRows(ledger, { to: "2025-02-01T00:00:00Z", options })).toEqual([]);
    expect(volumeRows(ledger, { from: "2025-02-01T00:00:00Z", options })).toEqual(DATED_ROWS);
    expect(volumeRows(ledger, { from: "10:00:02", to: "10:00:03", options })).toEqual([
      "account:user1 EUR 7/0",
      "account:user1 USD 0/10",
      "bank:fees USD 10/0",
      "world EUR 0/7",
    ]);
    expect(volumeRows(ledger, { options })).toEqual(DATED_ROWS);
  });

  test("volumes of a period are filtered by what moved in it", () => {
    const wanted = { from: "2025-01-01T12:00:00Z", to: "2025-01-02T00:00:00Z" };
    const ledger = datedVolumes({ features });
    expect(volumeRows(ledger, { ...wanted, where: { $lt: { "balance[USD]": 0 } } })).toEqual([
      "account:user2 USD 0/20",
    ]);
    expect(volumeRows(ledger, { ...wanted, where: { $gt: { balance: 50 } } })).toEqual([]);
    const options = { insertionDate: true, groupBy: 0 };
    const second = { from: "10:00:02", to: "10:00:02", options };
    expect(volumeRows(ledger, { ...second, where: { $lt: { "balance[USD]": 0 } } })).toEqual([
      "account:user1 USD 0/10",
    ]);
  });

  test("volumes of a period count a zero-amount move as a movement", () => {
    const ledger = new TestLedger({ features });
    ledger.commit(create(posting("world -> a", 3), { timestamp: at("08:00") }));
    ledger.commit(create(posting("a -> b", 0), { timestamp: at("09:00") }));
    expect(volumeRows(ledger, { from: "08:30", to: "09:30" })).toEqual(["a USD 0/0", "b USD 0/0"]);
    expect(volumeRows(ledger, { from: "08:30", to: "08:45" })).toEqual([]);
  });

  test("volumes of a period at the same date are distinguished by the order of insertion", () => {
    const ledger = new TestLedger({ features, now: at("12:00") });
    ledger.commit(create(posting("world -> a", 1)));
    const now = { timestamp: ledger.now };
    ledger.commit(create(posting("world -> a", 2), now));
    ledger.commit(create(posting("world -> a", 4), { timestamp: at("11:00") }));
    ledger.commit(create(posting("world -> a", 8), { timestamp: at("12:30") }));
    const inputs = (to: string) => volumeRows(ledger, { to, where: { $match: { account: "a" } } });
    expect(["10:59", "11:00", "12:00:01", "12:29:59", "12:30"].map(inputs)).toEqual([
      [],
      ["a USD 4/0"],
      ["a USD 7/0"],
      ["a USD 7/0"],
      ["a USD 15/0"],
    ]);
  });
});

test("volumes at a point in time are filtered by the metadata at that time", () => {
  const ledger = datedVolumes();
  const where = { $match: { "metadata[vip]": "yes" } };
  expect(volumeRows(ledger, { where, to: "2025-01-02T00:00:00Z" })).toEqual([]);
  expect(volumeRows(ledger, { where, to: "10:00:05" })).toEqual(DATED_ROWS.slice(0, 2));
  expect(volumeRows(ledger, { where, from: "2025-01-03T00:00:00Z" })).toEqual(
    DATED_ROWS.slice(0, 1),
  );
});

test("a ledger without history of moves knows current volumes only", () => {
  const ledger = datedVolumes({ features: { MOVES_HISTORY: "OFF" } });
  expect(volumeRows(ledger)).toEqual(DATED_ROWS);
  const message = 'missing feature "MOVES_HISTORY"';
  expect(() => volumeRows(ledger, { to: "12:00" })).toThrow(message);
  expect(() => volumeRows(ledger, { from: "12:00" })).toThrow(message);
});

test("back-dated moves of many pages are added up without stored effective volumes", () => {
  const ledger = new TestLedger({
    features: { MOVES_HISTORY_POST_COMMIT_EFFECTIVE_VOLUMES: "DISABLED" },
    now: at("12:00"),
  });
  const commands = Array.from({ length: 1100 }, (_, index) =>
    create(posting(index % 2 === 0 ? "world -> a" : "world -> b", 1), {
      timestamp: at(`2026-02-01T00:${String(index % 60).padStart(2, "0")}:00Z`),
    }),
  );
  for (let round = 0; round < 10; round++) ledger.bulk(commands);
  expect(volumeRows(ledger, { to: "2026-02-01T00:29:59Z" })).toEqual([
    "a USD 2800/0",
    "b USD 2800/0",
    "world USD 0/5600",
  ]);
});
