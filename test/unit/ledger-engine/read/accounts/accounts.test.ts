import { describe, expect, test } from "vitest";
import type { PageQuery } from "#platform/paging/query.ts";
import {
  addressesOf,
  countAccounts,
  listAccounts,
} from "#test/support/ledger-engine/account-reads.ts";
import {
  at,
  BARE,
  create,
  deleteMetadata,
  posting,
  refusalOf,
  setMetadata,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";
import { walk } from "#test/support/ledger-engine/walks.ts";

/** A ledger with users, with and without balances and metadata, and with an account that has moved nothing. */
function users(): TestLedger {
  const ledger = new TestLedger();
  ledger.commit(
    create([
      posting("world -> users:1", 100, "USD/2"),
      posting("world -> users:2", 250, "USD/2"),
      posting("world -> users:2:savings", 40, "EUR/2"),
    ]),
  );
  ledger.commit(create(posting("users:1 -> users", 25, "USD/2")));
  ledger.commit(create(posting("world -> users:1", 1, "EUR/2")));
  ledger.run(setMetadata("users:1", { tier: "gold", lang: "en" }));
  ledger.run(setMetadata("users:2", { tier: "silver" }));
  ledger.run(
    setMetadata(
      "empty",
      Object.fromEntries([
        ["__proto__", "gold"],
        ["note", '"tier"'],
      ]),
    ),
  );
  return ledger;
}

describe("a filter of accounts on addresses", () => {
  test.each([
    ["users:1", "users:1"],
    ["users:", "users:1 users:2"],
    ["users:...", "users users:1 users:2 users:2:savings"],
    ["users::savings", "users:2:savings"],
    [":2", "users:2"],
    ["::", "users:2:savings"],
    ["...", "empty users users:1 users:2 users:2:savings world"],
    ["nobody", ""],
    ["bad address", ""],
    ["é:", ""],
    ["", "empty users world"],
  ])("a filter of accounts on addresses takes the pattern %j", (address, expected) => {
    expect(addressesOf(users(), { where: { $match: { address } } })).toBe(expected);
    expect(countAccounts(users(), { where: { $match: { address } } })).toBe(
      expected === "" ? 0 : expected.split(" ").length,
    );
  });

  test.each([
    ["users:%", "users:1 users:2 users:2:savings"],
    ["%2%", "users:2 users:2:savings"],
    ["users:_", "users:1 users:2"],
    ["%", "empty users users:1 users:2 users:2:savings world"],
    ["USERS%", ""],
    ["users\\%", ""],
  ])("a filter of accounts on addresses takes what is like %j", (address, expected) => {
    expect(addressesOf(users(), { where: { $like: { address } } })).toBe(expected);
  });

  test("a filter of accounts on addresses takes full addresses of a list, and refuses a pattern in it", () => {
    const ledger = users();
    const among = (...address: string[]) => ({ where: { $in: { address } } });
    expect(addressesOf(ledger, among("world", "nobody", "users:1"))).toBe("users:1 world");
    expect(addressesOf(ledger, among())).toBe("");
    const many = Array.from({ length: 500 }, (_, index) => `users:${index}`);
    expect(addressesOf(ledger, { ...among(...many), order: "desc" })).toBe("users:2 users:1");
    expect(countAccounts(ledger, among(...many))).toBe(2);
    expect(refusalOf(() => listAccounts(ledger, among("users:")))).toBe("VALIDATION");
  });

  test("a filter of accounts on addresses leaves out what it negates, and lists overlapping matches once", () => {
    const ledger = users();
    const [two, one] = [{ $match: { address: "users:..." } }, { $match: { address: "users:" } }];
    expect(addressesOf(ledger, { where: { $not: two } })).toBe("empty world");
    expect(
      addressesOf(ledger, { where: { $or: [two, one, { $match: { address: "users:2:" } }] } }),
    ).toBe("users users:1 users:2 users:2:savings");
    expect(addressesOf(ledger, { where: { $and: [two, { $not: one }] } })).toBe(
      "users users:2:savings",
    );
  });
});

describe("a filter of accounts on metadata", () => {
  test.each([
    [{ $match: { "metadata[tier]": "gold" } }, "users:1"],
    [{ $match: { "metadata[tier]": "Gold" } }, ""],
    [{ $in: { "metadata[tier]": ["gold", "silver"] } }, "users:1 users:2"],
    [{ $in: { "metadata[tier]": [] } }, ""],
    [{ $like: { "metadata[tier]": "%l%" } }, "users:1 users:2"],
    [{ $exists: { metadata: "tier" } }, "users:1 users:2"],
    [{ $exists: { "metadata[tier]": false } }, "empty users users:2:savings world"],
    [
      { $not: { $match: { "metadata[tier]": "gold" } } },
      "empty users users:2 users:2:savings world",
    ],
    [{ $match: { "metadata[__proto__]": "gold" } }, "empty"],
    [{ $exists: { metadata: "__proto__" } }, "empty"],
    [{ $exists: { metadata: "toString" } }, ""],
    [
      {
        $or: [{ $match: { "metadata[tier]": "gold" } }, { $match: { "metadata[tier]": "silver" } }],
      },
      "users:1 users:2",
    ],
  ])("a filter of accounts on metadata: %j", (where, expected) => {
    for (const column of ["address", "insertion_date"]) {
      const found = addressesOf(users(), { where, column }).split(" ").toSorted().join(" ");
      expect(found).toBe(expected);
    }
    expect(countAccounts(users(), { where })).toBe(
      expected === "" ? 0 : expected.split(" ").length,
    );
  });

  test("a filter of accounts on metadata knows no metadata that was deleted or replaced", () => {
    const ledger = users();
    ledger.run(deleteMetadata("users:1", "tier"));
    ledger.run(setMetadata("users:2", { tier: "gold" }));
    expect(addressesOf(ledger, { where: { $match: { "metadata[tier]": "gold" } } })).toBe(
      "users:2",
    );
    expect(addressesOf(ledger, { where: { $match: { "metadata[tier]": "silver" } } })).toBe("");
  });
});

describe("a filter of accounts on balances", () => {
  test.each([
    [{ $lt: { "balance[USD/2]": 75 } }, "users world"],
    [{ $lte: { "balance[USD/2]": 75 } }, "users users:1 world"],
    [{ $match: { "balance[USD/2]": 75 } }, "users:1"],
    [{ $gt: { "balance[USD/2]": 75 } }, "users:2"],
    [{ $not: { $gt: { "balance[USD/2]": 75 } } }, "users users:1 world"],
    [{ $gt: { "balance[NOPE]": 0 } }, ""],
    [{ $not: { $gt: { "balance[NOPE]": 0 } } }, ""],
    [{ $gt: { balance: 0 } }, "users users:1 users:2 users:2:savings"],
    [{ $lt: { balance: 2 } }, "users:1 world"],
    [{ $not: { $gt: { balance: 0 } } }, "world"],
    [{ $exists: { balance: "EUR/2" } }, "users:1 users:2:savings world"],
    [{ $not: { $exists: { balance: "EUR/2" } } }, "empty users users:2"],
    [
      { $not: { $exists: { balance: "NOPE" } } },
      "empty users users:1 users:2 users:2:savings world",
    ],
    [{ $and: [{ $gte: { balance: 40 } }, { $lt: { balance: 2 } }] }, "users:1"],
    [
      { $and: [{ $gte: { "balance[USD/2]": 25 } }, { $lt: { "balance[USD/2]": 250 } }] },
      "users users:1",
    ],
    [
      { $or: [{ $gt: { "balance[USD/2]": 100 } }, { $match: { address: "empty" } }] },
      "empty users:2",
    ],
  ])("a filter of accounts on balances: %j", (where, expected) => {
    expect(addressesOf(users(), { where })).toBe(expected);
  });

  test("a filter of accounts on balances compares balances and values of any size exactly", () => {
    const ledger = new TestLedger();
    const large = 10n ** 40n;
    ledger.commit(create([posting("world -> a", large), posting("world -> b", large + 1n)]));
    ledger.commit(create(posting("world -> c", 2n ** 53n - 1n)));
    ledger.commit(create(posting("world -> d", 2n ** 53n)));
    expect(addressesOf(ledger, { where: { $match: { "balance[USD]": large } } })).toBe("a");
    expect(addressesOf(ledger, { where: { $gt: { "balance[USD]": large } } })).toBe("b");
    expect(addressesOf(ledger, { where: { $lt: { "balance[USD]": large } } })).toBe("c d world");
    expect(addressesOf(ledger, { where: { $lt: { "balance[USD]": -large } } })).toBe("world");
    expect(addressesOf(ledger, { where: { $match: { "balance[USD]": 2n ** 53n } } })).toBe("d");
    expect(addressesOf(ledger, { where: { $gte: { "balance[USD]": 2n ** 53n - 1n } } })).toBe(
      "a b c d",
    );
    expect(addressesOf(ledger, { where: { $gt: { "balance[USD]": 2n ** 70n } } })).toBe("a b");
    expect(addressesOf(ledger, { where: { $gt: { "balance[USD]": -(2n ** 70n) } } })).toBe(
      "a b c d",
    );
  });

  test("a filter of accounts on balances finds those of any asset, however many there are", () => {
    const ledger = new TestLedger();
    const assets = ["A", "B", "C", "D", "E", "F"];
    ledger.commit(create(assets.map((asset) => posting("world -> a", 5, asset))));
    ledger.commit(create(posting("world -> b", 9, "C")));
    expect(addressesOf(ledger, { where: { $gt: { balance: 5 } } })).toBe("b");
    expect(addressesOf(ledger, { where: { $match: { "balance[F]": 5 } } })).toBe("a");
    const named = assets.map((asset) => ({ $match: { [`balance[${asset}]`]: 5 } }));
    expect(addressesOf(ledger, { where: { $and: named } })).toBe("a");
  });
});

describe("a filter of accounts on dates", () => {
  test.each([
    [{ $match: { first_usage: "2026-03-01T10:00:02Z" } }, "users"],
    [{ $match: { first_usage: "2026-03-01T14:00:02+04:00" } }, "users"],
    [{ $lt: { first_usage: "2026-03-01T10:00:02Z" } }, "users:1 users:2 users:2:savings world"],
    [
      { $lt: { first_usage: "2026-03-01T10:00:01.000001Z" } },
      "users:1 users:2 users:2:savings world",
    ],
    [{ $gt: { first_usage: "2026-03-01T10:00:01.999999Z" } }, "empty users"],
    [{ $gte: { insertion_date: "2026-03-01T10:00:02Z" } }, "empty users"],
    [{ $lte: { insertion_date: "2026-03-01T10:00:01Z" } }, "users:1 users:2 users:2:savings world"],
    [{ $gt: { insertion_date: "9999-12-31T23:59:59Z" } }, ""],
    [{ $gt: { updated_at: "2026-03-01T10:00:03Z" } }, "empty users:1 users:2"],
    [
      {
        $and: [
          { $gt: { updated_at: "2026-03-01T10:00:01Z" } },
          { $lte: { updated_at: "2026-03-01T10:00:04Z" } },
        ],
      },
      "users users:1",
    ],
    [
      {
        $and: [
          { $gt: { first_usage: "2026-03-01T10:00:02Z" } },
          { $lt: { first_usage: "2026-03-01T10:00:01Z" } },
        ],
      },
      "",
    ],
  ])("a filter of accounts on dates: %j", (where, expected) => {
    for (const column of ["address", "first_usage", "insertion_date", "updated_at"]) {
      const found = addressesOf(users(), { where, column }).split(" ").toSorted().join(" ");
      expect(found).toBe(expected);
    }
    expect(countAccounts(users(), { where })).toBe(
      expected === "" ? 0 : expected.split(" ").length,
    );
  });
});

describe("the order of accounts", () => {
  /** Four accounts whose dates have different orders. The first two come from the same transaction. */
  function dated(): TestLedger {
    const ledger = new TestLedger();
    const day = (text: string) => ({ timestamp: at(`2025-05-0${text}T00:00:00Z`) });
    ledger.commit(create([posting("u:3 -> u:0", 0)], { ...day("3"), force: true }));
    ledger.commit(create(posting("u:0 -> u:1", 0), day("1")));
    ledger.commit(create(posting("u:1 -> u:2", 0), day("4")));
    ledger.run(setMetadata("u:1", { a: "b" }));
    return ledger;
  }

  test.each([
    ["address", "u:0 u:1 u:2 u:3"],
    // A back-dated transaction gave `u:0` an earlier date. Equal dates are in the order of creation.
    ["first_usage", "u:0 u:1 u:3 u:2"],
    ["insertion_date", "u:3 u:0 u:1 u:2"],
    ["updated_at", "u:3 u:0 u:2 u:1"],
  ])("accounts are listed by %s, both ways, page by page", async (column, expected) => {
    const ledger = dated();
    const columns = { [column]: column === "address" ? "text" : "date" } as const;
    for (const [order, sorted] of [
      ["asc", expected],
      ["desc", expected.split(" ").toReversed().join(" ")],
    ] as const) {
      expect(addressesOf(ledger, { column, order })).toBe(sorted);
      for (const pageSize of [1, 2, 3]) {
        const read = async (query: PageQuery) => ledger.engine.reads.listAccounts(query, BARE);
        const { forward, backward } = await walk(read, { columns, column, order, pageSize });
        const texts = forward.map((page) => page.map(({ address }) => address).join(" "));
        expect(texts.join(" ")).toBe(sorted);
        const back = backward.map((page) => page.map(({ address }) => address).join(" "));
        expect(back.toReversed()).toEqual(texts.slice(0, -1));
      }
    }
  });

  test("a list of accounts skips a number of rows for cursors of the reference server", () => {
    const read = (offset: number, where = "{}") => {
      const query = { kind: "offset", column: "address", order: "asc", pageSize: 2 } as const;
      const page = users().engine.reads.listAccounts({ ...query, offset, where }, BARE);
      return page.data.map(({ address }) => address).join(" ");
    };
    expect(read(0)).toBe("empty users");
    expect(read(4)).toBe("users:2:savings world");
    expect(read(9)).toBe("");
    expect(read(1, '{"$match":{"address":"users:..."}}')).toBe("users:1 users:2");
  });
});

test("an account is found by its address alone, which is no pattern", () => {
  const ledger = users();
  expect(ledger.account("users:1")?.address).toBe("users:1");
  for (const address of ["users:", "...", "users:...", ":1", "USERS:1", "", "users:%"]) {
    expect(ledger.account(address)).toBeUndefined();
  }
});
