import { describe, expect, test } from "vitest";
import {
  at,
  create,
  posting,
  refusalOf,
  revert,
  setMetadata,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";
import { countOf, idsOf } from "#test/support/ledger-engine/transaction-reads.ts";

/**
 * A ledger with seven transactions, one each second from 10:00:01 on. The third is dated earlier and the fourth later,
 * the sixth reverts the second, and the first gets metadata in the end.
 */
function ledgerOfSeven(): TestLedger {
  const ledger = new TestLedger();
  const paid = { kind: "deposit", n: "1" };
  ledger.commit(create(posting("world -> users:1", 100), { reference: "dep-1", metadata: paid }));
  ledger.commit(
    create([posting("users:1 -> shops:7:main", 10), posting("shops:7:main -> fees", 1)], {
      metadata: Object.fromEntries([["__proto__", "odd"]]),
    }),
  );
  ledger.commit(
    create(posting("world -> users:2", 50, "EUR/2"), {
      reference: "dep-2",
      timestamp: at("09:00"),
      metadata: { kind: "deposit" },
    }),
  );
  ledger.commit(
    create(posting("users:2 -> users:1", 0, "EUR/2"), {
      reference: "p2p_%",
      timestamp: at("12:00"),
    }),
  );
  ledger.commit(create(posting("users:1 -> users:1", 5)));
  ledger.run(revert(2));
  ledger.commit(create(posting("world -> users:3:sub", 1), { metadata: { "": "empty" } }));
  ledger.run(setMetadata(1, { kind: "gift", late: "é" }));
  return ledger;
}

/** The ids that a filter finds. Asserts that the count agrees. */
function found(where: object): string {
  const ledger = ledgerOfSeven();
  const ids = idsOf(ledger, { where });
  expect(countOf(ledger, { where })).toBe(ids.length);
  return ids.join(" ");
}

describe("a filter of transactions", () => {
  test.each<[object, string]>([
    [{ $match: { id: 3 } }, "3"],
    [{ $match: { id: 8 } }, ""],
    [{ $match: { id: -1 } }, ""],
    [{ $match: { id: 2n ** 64n } }, ""],
    [{ $lt: { id: 3 } }, "2 1"],
    [{ $lte: { id: 3 } }, "3 2 1"],
    [{ $gt: { id: 5 } }, "7 6"],
    [{ $gte: { id: 5 } }, "7 6 5"],
    [{ $gte: { id: -(10n ** 30n) } }, "7 6 5 4 3 2 1"],
    [{ $gt: { id: 10n ** 30n } }, ""],
    [{ $lt: { id: 10n ** 30n } }, "7 6 5 4 3 2 1"],
    [{ $not: { $match: { id: 3 } } }, "7 6 5 4 2 1"],
    [{ $not: { $gte: { id: -(10n ** 30n) } } }, ""],
    [{ $not: { $lte: { id: 10n ** 30n } } }, ""],
    [{ $not: { $lt: { id: 6 } } }, "7 6"],
  ])("a filter of transactions compares ids: %o", (where, ids) => {
    expect(found(where)).toBe(ids);
  });

  test.each<[object, string]>([
    [{ $match: { reference: "dep-1" } }, "1"],
    [{ $match: { reference: "DEP-1" } }, ""],
    [{ $match: { reference: "" } }, ""],
    [{ $in: { reference: ["p2p_%", "dep-1", "dep-1", "nobody's"] } }, "4 1"],
    [{ $in: { reference: [] } }, ""],
    [{ $like: { reference: "dep%" } }, "3 1"],
    [{ $like: { reference: "dep-_" } }, "3 1"],
    [{ $like: { reference: "%p_p%" } }, "4"],
    [{ $like: { reference: "p2p\\_\\%" } }, "4"],
    [{ $like: { reference: "dep-1" } }, "1"],
    [{ $like: { reference: "%" } }, "4 3 1"],
    [{ $like: { reference: "%P2P%" } }, ""],
    [{ $not: { $match: { reference: "dep-1" } } }, "4 3"],
    [{ $not: { $like: { reference: "%" } } }, ""],
    [{ $not: { $like: { reference: "p2p%" } } }, "3 1"],
    [{ $not: { $in: { reference: ["dep-1", "dep-2"] } } }, "4"],
    [{ $not: { $in: { reference: [] } } }, "4 3 1"],
  ])(
    "a filter of transactions looks for references; of one that is absent, no test is true, nor its negation: %j",
    (where, ids) => {
      expect(found(where)).toBe(ids);
    },
  );

  test.each<[object, string]>([
    [{ $match: { timestamp: "2026-03-01T09:00:00Z" } }, "3"],
    [{ $match: { timestamp: "2026-03-01T13:00:00+04:00" } }, "3"],
    [{ $match: { timestamp: "2026-03-01T10:00:05Z" } }, "5"],
    [{ $lt: { timestamp: "2026-03-01T10:00:02Z" } }, "3 1"],
    [{ $lte: { timestamp: "2026-03-01T10:00:02Z" } }, "3 2 1"],
    [{ $gt: { timestamp: "2026-03-01T10:00:05Z" } }, "7 6 4"],
    [{ $gte: { timestamp: "2026-03-01T10:00:05Z" } }, "7 6 5 4"],
    [{ $gte: { timestamp: "9999-12-31T23:59:59.999999Z" } }, ""],
    [{ $lt: { timestamp: "0001-01-01T00:00:00Z" } }, ""],
    [{ $not: { $gte: { timestamp: "2026-03-01T10:00:02Z" } } }, "3 1"],
    [{ $not: { $match: { timestamp: "2026-03-01T09:00:00Z" } } }, "7 6 5 4 2 1"],
    [{ $match: { inserted_at: "2026-03-01T10:00:03Z" } }, "3"],
    [{ $lt: { inserted_at: "2026-03-01T10:00:03Z" } }, "2 1"],
    [{ $lte: { inserted_at: "2026-03-01T10:00:03Z" } }, "3 2 1"],
    [{ $gt: { inserted_at: "2026-03-01T10:00:05.5Z" } }, "7 6"],
    [{ $gte: { inserted_at: "2026-03-01T10:00:06Z" } }, "7 6"],
    [{ $match: { updated_at: "2026-03-01T10:00:06Z" } }, "6 2"],
    [{ $match: { updated_at: "2026-03-01T10:00:08Z" } }, "1"],
    [{ $lt: { updated_at: "2026-03-01T10:00:06Z" } }, "5 4 3"],
    [{ $gte: { updated_at: "2026-03-01T10:00:06Z" } }, "7 6 2 1"],
    [{ $not: { $lt: { updated_at: "2026-03-01T10:00:06Z" } } }, "7 6 2 1"],
  ])("a filter of transactions compares dates: %j", (where, ids) => {
    expect(found(where)).toBe(ids);
  });

  test.each<[object, string]>([
    [{ $match: { reverted: true } }, "2"],
    [{ $match: { reverted: false } }, "7 6 5 4 3 1"],
    [{ $not: { $match: { reverted: true } } }, "7 6 5 4 3 1"],
    [{ $not: { $match: { reverted: false } } }, "2"],
    [{ $match: { reverted_at: "2026-03-01T10:00:06Z" } }, "2"],
    [{ $lt: { reverted_at: "2026-03-01T10:00:06Z" } }, ""],
    [{ $lte: { reverted_at: "2026-03-01T10:00:06Z" } }, "2"],
    [{ $gt: { reverted_at: "2020-01-01T00:00:00Z" } }, "2"],
    [{ $lte: { reverted_at: "9999-12-31T23:59:59.999999Z" } }, "2"],
    [{ $gte: { reverted_at: "0001-01-01T00:00:00Z" } }, "2"],
    [{ $not: { $gt: { reverted_at: "2020-01-01T00:00:00Z" } } }, ""],
    [{ $not: { $lt: { reverted_at: "2020-01-01T00:00:00Z" } } }, "2"],
    [{ $not: { $match: { reverted_at: "2026-03-01T10:00:06Z" } } }, ""],
    [{ $not: { $match: { reverted_at: "2026-03-01T10:00:05Z" } } }, "2"],
    [{ $not: { $lt: { reverted_at: "0001-01-01T00:00:00Z" } } }, "2"],
  ])("a filter finds what is reverted; no test of an absent date is true: %j", (where, ids) => {
    expect(found(where)).toBe(ids);
  });

  test.each<[object, string]>([
    [{ $match: { account: "users:1" } }, "6 5 4 2 1"],
    [{ $match: { source: "users:1" } }, "5 2"],
    [{ $match: { destination: "users:1" } }, "6 5 4 1"],
    [{ $match: { source: "world" } }, "7 3 1"],
    [{ $match: { destination: "world" } }, ""],
    [{ $match: { source: "shops:7:main" } }, "6 2"],
    [{ $match: { account: "nobody" } }, ""],
    [{ $match: { account: "users:" } }, "6 5 4 3 2 1"],
    [{ $match: { source: "users:" } }, "5 4 2"],
    [{ $match: { account: "users:..." } }, "7 6 5 4 3 2 1"],
    [{ $match: { destination: "users::sub" } }, "7"],
    [{ $match: { account: "::main" } }, "6 2"],
    [{ $match: { account: ":2" } }, "4 3"],
    [{ $match: { account: "..." } }, "7 6 5 4 3 2 1"],
    [{ $match: { source: "fees:..." } }, "6"],
    [{ $in: { account: ["fees", "users:2", "nobody"] } }, "6 4 3 2"],
    [{ $in: { destination: ["users:2", "users:3:sub"] } }, "7 3"],
    [{ $in: { account: [] } }, ""],
    [{ $like: { source: "users:%" } }, "5 4 2"],
    [{ $like: { destination: "%:main" } }, "6 2"],
    [{ $not: { $match: { account: "users:1" } } }, "7 3"],
    [{ $not: { $match: { source: "users:" } } }, "7 6 3 1"],
    [{ $not: { $in: { account: [] } } }, "7 6 5 4 3 2 1"],
  ])("a filter of transactions looks at the accounts of all postings: %j", (where, ids) => {
    expect(found(where)).toBe(ids);
  });

  test.each<[object, string]>([
    [{ $match: { "metadata[kind]": "deposit" } }, "3"],
    [{ $match: { "metadata[kind]": "gift" } }, "1"],
    [{ $match: { "metadata[late]": "é" } }, "1"],
    [{ $match: { "metadata[__proto__]": "odd" } }, "2"],
    [{ $match: { "metadata[toString]": "odd" } }, ""],
    [{ $in: { "metadata[kind]": ["gift", "deposit", "gift"] } }, "3 1"],
    [{ $in: { "metadata[kind]": [] } }, ""],
    [{ $like: { "metadata[kind]": "%t" } }, "3 1"],
    [{ $exists: { metadata: "kind" } }, "3 1"],
    [{ $match: { metadata: "n" } }, "1"],
    [{ $exists: { metadata: "" } }, "7"],
    [{ $exists: { "metadata[n]": true } }, "1"],
    [{ $exists: { "metadata[n]": false } }, "7 6 5 4 3 2"],
    [{ $not: { $match: { "metadata[kind]": "deposit" } } }, "7 6 5 4 2 1"],
    [{ $not: { $exists: { metadata: "kind" } } }, "7 6 5 4 2"],
    [{ $exists: { metadata: "com.formance.spec/state/reverts" } }, "6"],
  ])("a filter tests current metadata, where absent keys are absent: %j", (where, ids) => {
    expect(found(where)).toBe(ids);
  });

  test.each<[object, string]>([
    [{ $and: [{ $gt: { id: 1 } }, { $lt: { id: 4 } }] }, "3 2"],
    [{ $and: [{ $match: { account: "users:1" } }, { $exists: { metadata: "kind" } }] }, "1"],
    [{ $or: [{ $match: { id: 5 } }, { $match: { "metadata[kind]": "gift" } }] }, "5 1"],
    [{ $or: [{ $match: { account: "fees" } }, { $not: { $lte: { id: 6 } } }] }, "7 6 2"],
    [{ $and: [] }, "7 6 5 4 3 2 1"],
    [{ $or: [{ $or: [] }, { $match: { id: 1 } }] }, "7 6 5 4 3 2 1"],
    [{ $not: { $and: [] } }, ""],
    [{ $not: { $or: [{ $match: { account: "users:1" } }, { $match: { id: 7 } }] } }, "3"],
    [{ $not: { $and: [{ $gt: { id: 2 } }, { $lt: { id: 6 } }] } }, "7 6 2 1"],
    [{ $not: { $not: { $match: { reference: "dep-2" } } } }, "3"],
    // A test of an absent value decides nothing, but the other filters of a list may.
    [{ $or: [{ $not: { $match: { reference: "dep-1" } } }, { $gt: { id: 5 } }] }, "7 6 4 3"],
    [{ $not: { $and: [{ $match: { reference: "dep-1" } }, { $lt: { id: 6 } }] } }, "7 6 4 3"],
    [{ $not: { $or: [{ $match: { reference: "dep-1" } }, { $gt: { id: 3 } }] } }, "3"],
    [{ $not: { $not: { $gt: { reverted_at: "2020-01-01T00:00:00Z" } } } }, "2"],
    [
      {
        $not: {
          $or: [{ $like: { reference: "dep%" } }, { $lt: { reverted_at: "2020-01-01T00:00:00Z" } }],
        },
      },
      "",
    ],
    [
      {
        $not: {
          $and: [
            { $like: { reference: "dep%" } },
            { $lt: { reverted_at: "2020-01-01T00:00:00Z" } },
          ],
        },
      },
      "4 2",
    ],
    [
      {
        $and: [
          { $gte: { timestamp: "2026-03-01T09:00:00Z" } },
          { $not: { $gt: { timestamp: "2026-03-01T10:00:01Z" } } },
        ],
      },
      "3 1",
    ],
    [
      {
        $or: [
          { $and: [{ $gt: { timestamp: "2026-03-01T11:00:00Z" } }, { $lt: { id: 9 } }] },
          { $and: [{ $match: { reverted: true } }, { $match: { source: "users:1" } }] },
        ],
      },
      "4 2",
    ],
  ])("a filter of transactions is combined: %j", (where, ids) => {
    expect(found(where)).toBe(ids);
  });

  test("a filter of transactions matches the same transactions in every order, and is counted", () => {
    const ledger = ledgerOfSeven();
    const where = { $not: { $match: { account: "users:3:sub" } } };
    const orders: Record<string, string> = {
      id: "6 5 4 3 2 1",
      inserted_at: "6 5 4 3 2 1",
      timestamp: "4 6 5 2 1 3",
      updated_at: "1 6 2 5 4 3",
      reverted_at: "2 6 5 4 3 1",
    };
    for (const [column, ids] of Object.entries(orders)) {
      expect(idsOf(ledger, { where, column }).join(" ")).toBe(ids);
      expect(idsOf(ledger, { where, column, order: "asc" }).toReversed().join(" ")).toBe(ids);
    }
    expect(countOf(ledger, { where })).toBe(6);
  });

  test.each([
    { $match: { nope: 0 } },
    { $match: { address: "users:1" } },
    { $match: { insertedAt: "2020-01-01T00:00:00Z" } },
    { $match: { "id[x]": 1 } },
    { $lt: { reverted: true } },
    { $in: { id: [1, 2] } },
    { $in: { account: ["users:"] } },
    { $match: { "balance[USD]": 1 } },
  ])("a filter that transactions do not have is refused: %j", (where) => {
    const ledger = ledgerOfSeven();
    expect(refusalOf(() => idsOf(ledger, { where }))).toBe("VALIDATION");
    expect(refusalOf(() => countOf(ledger, { where }))).toBe("VALIDATION");
  });

  test("a filter of transactions finds nothing in an empty ledger", () => {
    const ledger = new TestLedger();
    const filters = [
      { $match: { account: "..." } },
      { $match: { source: "world" } },
      { $exists: { metadata: "k" } },
      { $gte: { timestamp: "2020-01-01T00:00:00Z" } },
      { $like: { reference: "%a" } },
      { $match: { reverted: true } },
      { $not: { $match: { id: 1 } } },
    ];
    for (const where of filters) {
      for (const column of ["id", "timestamp", "reverted_at"]) {
        expect(idsOf(ledger, { where, column })).toEqual([]);
      }
      expect(countOf(ledger, { where })).toBe(0);
    }
  });
});
