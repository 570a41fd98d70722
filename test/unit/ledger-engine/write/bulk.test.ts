import { describe, expect, test } from "vitest";
import { AppError } from "#platform/errors.ts";
import { attempt } from "#platform/result.ts";
import { fromMicros, toMicros } from "#platform/time.ts";
import {
  at,
  create,
  deleteMetadata,
  element,
  posting,
  refusalOf,
  revert,
  setMetadata,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";
import { StatementCounts } from "#test/support/ledger-engine/statement-counts.ts";

const GOOD = create(posting("world -> a", 1));
const SHORT = create(posting("nobody -> a", 1));

/** The log id of each element, or the kind of its failure. */
const summaryOf = (results: ReturnType<TestLedger["bulk"]>) =>
  results.map((result) => (typeof result === "string" ? result : result.logId));

describe("a bulk", () => {
  test("a bulk returns the results in order, and each element builds on those before it", () => {
    const ledger = new TestLedger();
    const results = ledger.bulk([
      create(posting("world -> a", 10)),
      create(posting("a -> b", 10)),
      setMetadata("b", { k: "v" }),
      deleteMetadata("b", "k"),
    ]);
    expect(summaryOf(results)).toEqual([1, 2, 3, 4]);
    expect(ledger.volumes("a")).toEqual({ USD: "10/10" });
    expect(ledger.account("b")?.metadata).toEqual({});
  });

  test("a bulk without elements does nothing", () => {
    const ledger = new TestLedger();
    const before = ledger.dump();
    expect(ledger.bulk([])).toEqual([]);
    expect(ledger.bulk([], { atomic: true })).toEqual([]);
    expect(ledger.dump()).toBe(before);
  });

  test("a bulk stops at the first failure and keeps what came before", () => {
    const ledger = new TestLedger();
    expect(summaryOf(ledger.bulk([GOOD, SHORT, GOOD]))).toEqual([1, "INSUFFICIENT_FUND"]);
    expect(ledger.volumes("a")).toEqual({ USD: "1/0" });
    expect(ledger.logs()).toHaveLength(1);
  });

  test("a bulk runs all elements with continueOnFailure and keeps those that succeed", () => {
    const ledger = new TestLedger();
    const results = ledger.bulk([SHORT, GOOD, revert(99), GOOD], { continueOnFailure: true });
    expect(summaryOf(results)).toEqual(["INSUFFICIENT_FUND", 1, "NOT_FOUND", 2]);
    expect(ledger.volumes("a")).toEqual({ USD: "2/0" });
  });

  test("a bulk keeps all or nothing when it is atomic", () => {
    const ledger = new TestLedger();
    ledger.commit(GOOD);
    const before = ledger.dump();
    const writes = [
      create(posting("world -> new", 5, "EUR"), { reference: "r1", timestamp: at("09:00") }),
      setMetadata(1, { k: "v" }),
      setMetadata("a", { k: "v" }),
      revert(1),
    ];
    expect(summaryOf(ledger.bulk([...writes, SHORT, GOOD], { atomic: true }))).toEqual([
      2,
      3,
      4,
      5,
      "INSUFFICIENT_FUND",
    ]);
    expect(ledger.dump()).toBe(before);
    const all = ledger.bulk([...writes, SHORT, GOOD], { atomic: true, continueOnFailure: true });
    expect(summaryOf(all).slice(-2)).toEqual(["INSUFFICIENT_FUND", 10]);
    expect(ledger.dump()).toBe(before);
    expect(ledger.bulk(writes, { atomic: true })).toHaveLength(4);
    expect(ledger.logs()).toHaveLength(5);
  });

  test("a bulk is right after an atomic one was rolled back", () => {
    const ledger = new TestLedger();
    ledger.commit(create(posting("world -> a", 10)));
    ledger.bulk([create(posting("a -> new", 10, "USD")), SHORT], { atomic: true });
    expect(ledger.commit(create(posting("a -> b", 10))).volumes).toMatchObject([
      { account: "a", input: 10n, output: 10n },
      { account: "b", input: 10n, output: 0n },
    ]);
    expect(ledger.account("new")).toBeUndefined();
    ledger.bulk([create(posting("world -> x", 1), { reference: "r" }), SHORT], { atomic: true });
    expect(ledger.commit(create(posting("world -> x", 1), { reference: "r" })).reference).toBe("r");
  });

  test("a bulk has one date for all elements when it is atomic", () => {
    const ledger = new TestLedger();
    ledger.bulk([GOOD, GOOD, setMetadata("a", { k: "v" })], { atomic: true });
    expect(new Set(ledger.logs().map(({ date }) => date)).size).toBe(1);
  });

  test("a bulk has a reading of the clock for each element when it is not atomic, although the clock stands still", () => {
    const ledger = new TestLedger();
    ledger.bulk([GOOD, SHORT, GOOD, setMetadata("a", { k: "v" })], { continueOnFailure: true });
    const start = toMicros(ledger.now);
    const dates = ledger.logs().map(({ date }) => toMicros(date) - start);
    expect(dates).toEqual([0n, 1n, 2n]);
    expect(ledger.transaction(2).insertedAt).toBe(fromMicros(start + 1n));
  });

  test("a bulk runs the reference's example, atomic and not: create, add and delete metadata, revert", () => {
    for (const atomic of [false, true]) {
      const ledger = new TestLedger();
      const results = ledger.bulk(
        [GOOD, setMetadata(1, { k: "v" }), deleteMetadata(1, "k"), revert(1)],
        { atomic },
      );
      expect(summaryOf(results)).toEqual([1, 2, 3, 4]);
      expect(results[3]).toMatchObject({
        transaction: { id: 2, metadata: { "com.formance.spec/state/reverts": "1" } },
      });
      expect(ledger.transaction(1).revertedAt).toBe(ledger.transaction(2).timestamp);
      expect(ledger.transaction(1).metadata).toEqual({});
    }
  });

  test("a bulk refuses a reference that an earlier element has taken", () => {
    const ledger = new TestLedger();
    const referenced = create(posting("world -> a", 1), { reference: "r1" });
    const results = ledger.bulk([referenced, referenced, GOOD], { continueOnFailure: true });
    expect(summaryOf(results)).toEqual([1, "CONFLICT", 2]);
    expect(results[2]).toMatchObject({ transaction: { id: 3 } });
  });

  test("a bulk replays a key that an earlier element has used, and refuses another command with it", () => {
    const ledger = new TestLedger();
    const results = ledger.bulk(
      [element(GOOD, "k1"), element(GOOD, "k1"), element(SHORT, "k1"), element(SHORT, "k2")],
      { continueOnFailure: true },
    );
    expect(summaryOf(results)).toEqual([1, 1, "VALIDATION", "INSUFFICIENT_FUND"]);
    expect(results.slice(0, 2)).toMatchObject([{ isReplay: false }, { isReplay: true }]);
    expect(ledger.volumes("a")).toEqual({ USD: "1/0" });
    expect(ledger.run(GOOD, { key: "k1" }).isReplay).toBe(true);
  });

  test("a bulk fails only at the element that is not a command", () => {
    const ledger = new TestLedger();
    const none = {
      idempotencyKey: "",
      command: attempt(() => {
        throw new AppError("NO_POSTINGS", "no postings");
      }),
    };
    expect(summaryOf(ledger.bulk([GOOD, none, GOOD], { continueOnFailure: true }))).toEqual([
      1,
      "NO_POSTINGS",
      2,
    ]);
    expect(summaryOf(ledger.bulk([GOOD, none], { atomic: true }))).toEqual([3, "NO_POSTINGS"]);
    expect(ledger.logs()).toHaveLength(2);
  });

  test("a bulk reads what is not known together, wherever it begins, and nothing that is known", () => {
    const sql = new StatementCounts();
    const ledger = new TestLedger({ sql });
    const payments = (from: number, to: number, prefix?: string) =>
      Array.from({ length: to - from }, (_, index) => {
        const reference = prefix === undefined ? {} : { reference: `${prefix}${index}` };
        return create(posting(`world -> a${from + index}`, 1), reference);
      });
    const selectsOf = (commands: ReturnType<typeof payments>) => {
      sql.counts.clear();
      expect(summaryOf(ledger.bulk(commands))).toHaveLength(commands.length);
      const names = [...sql.counts.keys()].filter((name) => name.startsWith("SELECT"));
      return names.reduce((sum, name) => sum + (sql.counts.get(name) ?? 0), 0);
    };
    ledger.bulk(payments(0, 100, "first"));
    // Statements read the accounts, the references, and the latest transaction.
    expect(selectsOf(payments(50, 150, "second"))).toBeLessThan(6);
    expect(selectsOf(payments(0, 150))).toBe(0);
    // The lookahead grows, so that no element of a large bulk is looked up by itself.
    expect(selectsOf(payments(200, 1200, "third"))).toBeLessThan(10);
    expect(selectsOf([...payments(0, 150), ...payments(1200, 1201)])).toBe(1);
    expect(ledger.volumes("a99")).toEqual({ USD: "4/0" });
    expect(ledger.volumes("a149")).toEqual({ USD: "3/0" });
  });

  const payTo = (account: string, reference?: string) =>
    create(posting(`world -> ${account}`, 1), reference === undefined ? {} : { reference });
  /** Payments to known accounts, except at the places in `newOnes`, where the account is new. */
  const paymentsWith = (newOnes: Readonly<Record<number, string>>, count: number) =>
    Array.from({ length: count }, (_, index) => payTo(newOnes[index] ?? "known"));

  test.each([
    [{ 0: "new:1", 63: "new:2" }, 1],
    [{ 0: "new:1", 64: "new:2" }, 2],
    [{ 0: "new:1", 64: "new:2", 319: "new:3" }, 2],
    [{ 5: "new:1", 68: "new:2", 69: "new:3", 325: "new:4" }, 3],
  ])(
    "a bulk looks ahead 64 elements, then 256, then more: with new accounts at %j",
    (newOnes, reads) => {
      const sql = new StatementCounts();
      const ledger = new TestLedger({ sql });
      ledger.bulk([payTo("known")]);
      sql.counts.clear();
      ledger.bulk(paymentsWith(newOnes, 400));
      expect(sql.counts.get("SELECT")).toBe(reads);
    },
  );

  test("a bulk refuses a reference that waited while it was looked ahead, and was written since", () => {
    const ledger = new TestLedger();
    const bulk = [
      ...paymentsWith({ 10: "first" }, 64),
      payTo("new:1"), // a payment to a new account makes the bulk look ahead again
      revert(20), // a revert writes the pending entries
      payTo("known", "r"),
    ].with(10, payTo("first", "r"));
    expect(ledger.bulk(bulk).at(-1)).toBe("CONFLICT");
  });

  test("a bulk repeats no element whose key waited while it was looked ahead, and was written since", () => {
    const ledger = new TestLedger();
    const repeated = element(payTo("first"), "key");
    const bulk = [...paymentsWith({}, 64), payTo("new:1"), revert(20), repeated];
    const results = ledger.bulk(bulk.map((item, index) => (index === 10 ? repeated : item)));
    expect(results.at(-1)).toMatchObject({ logId: 11, isReplay: true });
  });

  test("a large bulk keeps every row: a thousand transactions of many accounts", () => {
    const ledger = new TestLedger();
    const count = 1000;
    const results = ledger.bulk(
      Array.from({ length: count }, (_, index) =>
        create(posting(`world -> users:${index}`, 10n ** 20n + BigInt(index)), {
          reference: `r${index}`,
          metadata: { text: "é".repeat(500) },
        }),
      ),
    );
    expect(summaryOf(results)).toEqual(Array.from({ length: count }, (_, index) => index + 1));
    ledger.open();
    expect(ledger.volumes("users:999")).toEqual({ USD: `${10n ** 20n + 999n}/0` });
    expect(ledger.transactions()).toHaveLength(count);
    expect(ledger.transaction(count).metadata).toEqual({ text: "é".repeat(500) });
  });
});

test("transactions that are dated before very many moves are accepted in small bulks only", () => {
  const ledger = new TestLedger();
  for (let count = 0; count < 20; count++) {
    ledger.bulk(Array.from({ length: 1000 }, () => create(posting("world -> a", 1))));
  }
  const old = (index: number) =>
    create(posting("world -> a", 1), {
      timestamp: at(`08:00:${String(index % 60).padStart(2, "0")}`),
    });
  const many = Array.from({ length: 500 }, (_, index) => old(index));
  expect(refusalOf(() => ledger.bulk(many))).toBe("BULK_SIZE_EXCEEDED");
  expect(ledger.engine.counts().transactions).toBe(20_000);
  ledger.bulk(many.slice(0, 10));
  expect(ledger.engine.counts().transactions).toBe(20_010);
});

test("a bulk is refused if its writes of metadata read very many pairs", () => {
  const ledger = new TestLedger();
  const pairs = Array.from({ length: 4000 }, (_, index) => [`key${index}`, "1"] as const);
  ledger.run(setMetadata("a", Object.fromEntries(pairs)));
  const writes = Array.from({ length: 400 }, (_, index) => setMetadata("a", { n: `${index}` }));
  const before = ledger.dump();
  expect(refusalOf(() => ledger.bulk(writes))).toBe("BULK_SIZE_EXCEEDED");
  expect(ledger.dump()).toBe(before);
});

test("accounts whose metadata one transaction changes may not have too much of it in total", () => {
  const ledger = new TestLedger();
  const large = "x".repeat(60_000);
  const names = Array.from({ length: 140 }, (_, index) => `a${index}`);
  for (const name of names) ledger.run(setMetadata(name, { large }));
  const accountMetadata = Object.fromEntries(names.map((name) => [name, { n: "1" }]));
  const command = create(posting("world -> b", 1), { accountMetadata });
  expect(refusalOf(() => ledger.run(command))).toBe("VALIDATION");
});
