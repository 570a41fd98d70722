import { describe, expect, test } from "vitest";
import { fromMicros, toMicros } from "#platform/time.ts";
import {
  WITH_VOLUMES,
  at,
  create,
  posting,
  refusalOf,
  revert,
  setMetadata,
  TestLedger,
  volumeTexts,
} from "#test/support/ledger-engine/fixtures.ts";

describe("a transaction", () => {
  test("a transaction is answered with its id, its dates and all volumes, and read back the same", () => {
    const ledger = new TestLedger();
    const made = ledger.commit(
      create([posting("world -> a", 100), posting("a -> b", 30, "USD")], {
        reference: "r1",
        metadata: { k: "v" },
      }),
    );
    expect(made).toMatchObject({
      id: 1,
      reference: "r1",
      metadata: { k: "v" },
      timestamp: at("10:00:01"),
      insertedAt: at("10:00:01"),
      updatedAt: at("10:00:01"),
    });
    expect(volumeTexts(made.volumes)).toEqual(["world USD 0/100", "a USD 100/30", "b USD 30/0"]);
    expect(made.effectiveVolumes).toEqual(made.volumes);
    expect(ledger.transaction(1)).toEqual(made);
    expect(ledger.transactions()).toEqual([made]);
  });

  test("a transaction keeps amounts of any size exact in postings, volumes and accounts", () => {
    const ledger = new TestLedger();
    const sizes = [
      2n ** 53n - 1n,
      2n ** 53n,
      2n ** 53n + 1n,
      2n ** 63n,
      2n ** 64n + 1n,
      10n ** 87n,
    ];
    for (const size of sizes) ledger.commit(create(posting("world -> a", size)));
    const total = sizes.reduce((sum, size) => sum + size, 0n);
    expect(ledger.volumes("a")).toEqual({ USD: `${total}/0` });
    expect(ledger.volumes("world")).toEqual({ USD: `0/${total}` });
    expect(ledger.transactions().map(({ postings }) => postings[0]?.amount)).toEqual(sizes);
    ledger.open();
    expect(ledger.volumes("a")).toEqual({ USD: `${total}/0` });
    ledger.commit(create(posting("a -> b", total)));
    expect(refusalOf(() => ledger.commit(create(posting("a -> b", 1))))).toBe("INSUFFICIENT_FUND");
  });

  test("a transaction of zero makes accounts and volumes", () => {
    const ledger = new TestLedger();
    ledger.commit(create(posting("world -> a", 0)));
    expect(ledger.volumes("a")).toEqual({ USD: "0/0" });
  });

  test("a transaction without funds is refused, changes nothing and uses up no id", () => {
    const ledger = new TestLedger();
    ledger.commit(create(posting("world -> a", 10)));
    const before = ledger.dump();
    expect(
      refusalOf(() =>
        ledger.run(
          create([posting("world -> c", 1), posting("a -> b", 11)], { metadata: { k: "v" } }),
        ),
      ),
    ).toBe("INSUFFICIENT_FUND");
    expect(ledger.dump()).toBe(before);
    expect(ledger.commit(create(posting("a -> b", 10))).id).toBe(2);
  });

  test("a transaction is checked against current balances, whatever its date", () => {
    const ledger = new TestLedger();
    ledger.commit(create(posting("world -> a", 10), { timestamp: at("12:00") }));
    expect(ledger.commit(create(posting("a -> b", 10), { timestamp: at("09:00") })).id).toBe(2);
    expect(
      refusalOf(() => ledger.run(create(posting("a -> b", 1), { timestamp: at("13:00") }))),
    ).toBe("INSUFFICIENT_FUND");
  });

  test("a transaction may have any date that the wire can express", () => {
    const ledger = new TestLedger();
    const dates = [
      "0001-01-01T00:00:00Z",
      "1969-12-31T23:59:59.999999Z",
      "9999-12-31T23:59:59.999999Z",
    ].map(at);
    for (const timestamp of dates) ledger.commit(create(posting("world -> a", 1), { timestamp }));
    ledger.open();
    expect(ledger.transactions().map(({ timestamp }) => timestamp)).toEqual(dates);
    expect(ledger.account("a")?.firstUsage).toBe(dates[0]);
  });
});

describe("a reference", () => {
  test("the reference of a transaction is unique in its ledger; the refused transaction leaves no trace but a used id", () => {
    const ledger = new TestLedger();
    ledger.commit(create(posting("world -> a", 1), { reference: "r1" }));
    const before = ledger.dump();
    const again = create(posting("world -> new", 1), {
      reference: "r1",
      accountMetadata: { b: { k: "v" } },
    });
    expect(refusalOf(() => ledger.run(again))).toBe("CONFLICT");
    expect(ledger.dump()).toBe(before);
    const next = ledger.run(create(posting("world -> a", 1), { reference: "R1" }));
    expect([next.transaction?.id, next.logId]).toEqual([3, 2]);
  });

  test("the reference of a transaction is not freed by a revert, and a revert has none", () => {
    const ledger = new TestLedger();
    ledger.commit(create(posting("world -> a", 1), { reference: "r1" }));
    expect(ledger.commit(revert(1)).reference).toBeUndefined();
    expect(refusalOf(() => ledger.run(create(posting("world -> a", 1), { reference: "r1" })))).toBe(
      "CONFLICT",
    );
  });
});

describe("the accounts of a transaction", () => {
  const accountOf = (ledger: TestLedger, address: string) => ledger.account(address);

  test("the accounts of a transaction start with its dates and its account metadata", () => {
    const ledger = new TestLedger();
    ledger.commit(
      create(posting("world -> a", 1), {
        timestamp: at("09:00"),
        accountMetadata: { a: { tier: "gold" }, elsewhere: { k: "v" }, empty: {} },
      }),
    );
    const dates = {
      firstUsage: at("09:00"),
      insertionDate: at("10:00:01"),
      updatedAt: at("10:00:01"),
    };
    expect(accountOf(ledger, "a")).toEqual({ address: "a", metadata: { tier: "gold" }, ...dates });
    expect(accountOf(ledger, "elsewhere")).toMatchObject({ metadata: { k: "v" }, ...dates });
    expect(accountOf(ledger, "empty")).toMatchObject({ metadata: {}, ...dates });
    expect(accountOf(ledger, "other")).toBeUndefined();
  });

  test("the accounts of a transaction are not touched by a later one, unless it is dated earlier or brings new metadata", () => {
    const ledger = new TestLedger();
    ledger.commit(create(posting("world -> a", 1), { accountMetadata: { a: { k: "v" } } }));
    const before = accountOf(ledger, "a");
    ledger.commit(create(posting("world -> a", 1), { accountMetadata: { a: { k: "v" } } }));
    ledger.commit(create(posting("world -> a", 1), { timestamp: at("23:00") }));
    expect(accountOf(ledger, "a")).toEqual(before);
    ledger.commit(create(posting("world -> a", 1), { timestamp: at("08:00") }));
    expect(accountOf(ledger, "a")).toEqual({
      ...before,
      firstUsage: at("08:00"),
      updatedAt: ledger.now,
    });
    ledger.commit(create(posting("world -> a", 1), { accountMetadata: { a: { l: "w" } } }));
    expect(accountOf(ledger, "a")).toMatchObject({
      metadata: { k: "v", l: "w" },
      firstUsage: at("08:00"),
      updatedAt: ledger.now,
    });
  });

  test("the accounts of a transaction have volumes by asset", () => {
    const ledger = new TestLedger();
    for (const asset of ["USD", "EUR/2", "BTC/8"]) {
      ledger.commit(create([posting("world -> a", 5, asset), posting("a -> b", 2, asset)]));
    }
    expect(ledger.volumes("a")).toEqual({ "BTC/8": "5/2", "EUR/2": "5/2", USD: "5/2" });
    expect(ledger.account("a")?.volumes).toBeUndefined();
    ledger.run(setMetadata("idle", {}));
    expect(ledger.engine.reads.findAccount("idle", WITH_VOLUMES)?.volumes).toEqual([]);
  });
});

describe("dates", () => {
  test("the dates of a write are one reading of the clock for all that it makes", () => {
    const ledger = new TestLedger();
    const { timestamp, insertedAt } = ledger.commit(create(posting("world -> a", 1)));
    const account = ledger.account("a");
    expect(
      new Set([
        timestamp,
        insertedAt,
        account?.firstUsage,
        account?.insertionDate,
        ledger.logs()[0]?.date,
      ]),
    ).toEqual(new Set([at("10:00:01")]));
  });

  test("dates of log entries never decrease, also when the clock goes back and after an eviction", () => {
    const ledger = new TestLedger();
    ledger.commit(create(posting("world -> a", 1)));
    const last = ledger.now;
    for (const evict of [false, true]) {
      if (evict) ledger.open();
      ledger.now = fromMicros(toMicros(last) - 3_600_000_000n);
      expect(ledger.commit(create(posting("world -> a", 1)))).toMatchObject({
        timestamp: last,
        insertedAt: last,
      });
    }
    expect(ledger.logs().map(({ date }) => date)).toEqual([last, last, last]);
  });
});

describe("names that every JavaScript object has", () => {
  const odd = JSON.parse('{"__proto__":"p","10":"ten","9":"nine","constructor":"c"}') as {
    [key: string]: string;
  };

  test("names that every JavaScript object has are metadata keys and accounts like others", () => {
    const ledger = new TestLedger();
    ledger.commit(
      create([posting("world -> __proto__", 5), posting("__proto__ -> constructor", 2)], {
        metadata: odd,
        accountMetadata: JSON.parse(`{"__proto__":${JSON.stringify(odd)}}`) as Record<
          string,
          typeof odd
        >,
      }),
    );
    ledger.run(setMetadata("constructor", odd));
    ledger.open();
    const text = '{"9":"nine","10":"ten","__proto__":"p","constructor":"c"}';
    expect(JSON.stringify(ledger.transaction(1).metadata)).toBe(text);
    for (const address of ["__proto__", "constructor"]) {
      const account = ledger.account(address);
      expect(JSON.stringify(account?.metadata)).toBe(text);
    }
    expect(ledger.volumes("__proto__")).toEqual({ USD: "5/2" });
    const [entry] = ledger.logs();
    expect(
      JSON.stringify(entry?.data.type === "NEW_TRANSACTION" && entry.data.accountMetadata),
    ).toBe(`{"__proto__":${text}}`);
  });
});

describe("the role of a move", () => {
  const rolesOf = (...transactions: (readonly string[])[]): string[] => {
    const ledger = new TestLedger();
    for (const ways of transactions) {
      ledger.commit(
        create(
          ways.map((way) => posting(way.replace(/ \d+$/, ""), Number(way.split(" ").at(-1)))),
          { force: true },
        ),
      );
    }
    return ledger.sql
      .all<{ text: string }>(
        `SELECT address || ' ' || role AS text FROM move JOIN account ON account.id = account
          WHERE tx = ${transactions.length} ORDER BY address`,
      )
      .map(({ text }) => text);
  };

  test("the role of a move distinguishes destinations, sources and those that are both", () => {
    expect(rolesOf(["world -> a 5", "a -> b 3"])).toEqual(["a 2", "b 0", "world 1"]);
  });

  test("the role of a move shows which side has moved zero", () => {
    expect(rolesOf(["world -> a 0"])).toEqual(["a 4", "world 5"]);
    expect(rolesOf(["world -> a 5", "a -> b 0"])).toEqual(["a 6", "b 4", "world 1"]);
    expect(rolesOf(["world -> a 0", "a -> b 5"])).toEqual(["a 6", "b 0", "world 5"]);
    expect(rolesOf(["a -> a 0"])).toEqual(["a 6"]);
    expect(rolesOf(["a -> a 1"])).toEqual(["a 2"]);
    // The role of an account follows from the sum over all postings.
    expect(rolesOf(["world -> a 0", "world -> a 1"])).toEqual(["a 0", "world 1"]);
  });

  test("the role of a move depends on what the transaction itself moves, not on earlier balances", () => {
    expect(rolesOf(["world -> a 5", "a -> b 5"], ["a -> b 0"])).toEqual(["a 5", "b 4"]);
  });
});
